// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/text/literal.hpp>
#include <tenon/text/types.hpp>

namespace tenon::text {

// Notes where the attributes of an op stand and reads those that are lists of integers.
class attribute_list_reader : public type_reader {
 public:
  using type_reader::type_reader;

  // How deep the last list of integers was nested.
  int list_depth_ = 0;
  index_t list_columns_ = 0;  // as its type says

  // Notes `name = value` for later; `at` is on the value, or there is none.
  constexpr bool add_attribute(const word& name, int position, bool must_be_known,
                               attribute_entry::form kind = attribute_entry::form::value, int part = 0) {
    attribute_entry entry;
    entry.kind = position < 0 ? attribute_entry::form::name : kind;
    entry.name = name;
    entry.position = position;
    entry.part = part;
    entry.must_be_known = must_be_known;
    state.attributes.push(entry);
    return true;
  }
  constexpr word word_of(const keyword& name) const { return {-1, name.size, name.key}; }

  constexpr bool read_quoted(word& name) {
    if (!read_string(name)) return false;
    name.key = key_of_range(name.first, name.size);
    return true;
  }

  // `{a = 1 : i64, b}` without the braces, up to `close`.
  constexpr bool read_dictionary(char close, bool must_be_known, bool typed = true) {
    const int first = state.attributes.size;
    while (peek() != close) {
      word name;
      if (peek() == '"') {
        if (!read_quoted(name)) return false;
      } else {
        name = read_word();
      }
      if (name.size == 0) return fail("syntax", "the name of an attribute is expected");
      if (state.attributes.size - first == most_attributes)
        return fail("too_large", "there are more than 256 attributes", name.first);
      for (int i = first; i < state.attributes.size; ++i)
        if (same(state.attributes.data[i].name, name))
          return fail("attribute", "the attribute is given twice", name.first);
      int position = -1;
      if (accept('=')) {
        skip_space();
        position = at;
        if (!skip_value(typed)) return false;
      }
      if (!add_attribute(name, position, must_be_known)) return false;
      if (!accept(',') && peek() != close) return fail("syntax", ", or the end of the attributes is expected");
    }
    ++at;
    return true;
  }

  // Past a value, and past `: type` where that may follow.
  constexpr bool skip_value(bool typed) {
    const char c = peek();
    const int start = at;
    if (c == '"') {
      word ignored;
      if (!read_string(ignored)) return false;
    } else if (c == '[' || c == '{' || c == '<' || c == '(') {
      if (!skip_balanced()) return false;
      if (c == '(' && accept_arrow()) return skip_value(false);
    } else if (c == '@') {
      do {
        at += 1;
        if (peek() == '"') {
          word ignored;
          if (!read_string(ignored)) return false;
        } else if (read_name().size == 0) {
          return fail("syntax", "a name is expected after @", start);
        }
      } while (accept(':', ':') && peek() == '@');
    } else if (c == '#' || c == '!') {
      ++at;
      if (read_name().size == 0) return fail("syntax", "a name is expected", start);
      if (at < size && data[at] == '<' && !skip_balanced()) return false;
    } else if (c == '-' || text::detail::is(c, text::detail::digit)) {
      skip_number();
    } else {
      const word kind = read_word();
      if (kind.size == 0) return fail("syntax", "the value of an attribute is expected", start);
      if (is(kind, "dense")) {
        if (!skip_dense(start)) return false;
      } else if (at < size && (data[at] == '<' || (data[at] == '(' && is(kind, "loc")))) {
        if (!skip_balanced()) return false;
      }
    }
    return !typed || !accept(':') || skip_type();
  }

  // At most one point and one exponent; what is left over is not taken as part of the number.
  constexpr void skip_number() {
    const auto skip_digits = [&] {
      while (at < size && text::detail::is(data[at], text::detail::digit)) ++at;
    };
    if (data[at] == '-') ++at;
    if (at + 1 < size && data[at] == '0' && data[at + 1] == 'x') {
      for (at += 2; at < size && text::detail::is(data[at], text::detail::hex);) ++at;
      return;
    }
    skip_digits();
    if (at < size && data[at] == '.') ++at, skip_digits();
    if (at < size && (data[at] == 'e' || data[at] == 'E')) {
      ++at;
      if (at < size && (data[at] == '+' || data[at] == '-')) ++at;
      skip_digits();
    }
  }

  constexpr bool skip_type() {
    const char c = peek();
    if (c == '(') {
      if (!skip_balanced()) return false;
      if (!accept_arrow()) return fail("syntax", "-> is expected");
      return skip_type();
    }
    if (c == '!') ++at;
    if ((c == '!' ? read_name() : read_word()).size == 0) return fail("type", "a type is expected");
    return at >= size || data[at] != '<' || skip_balanced();
  }

  // From `<` of a dense literal past its `>`; nothing inside is looked at.
  constexpr bool skip_dense(int start) {
    if (!expect('<', "< is expected after dense")) return false;
    if (peek() == '"') {
      word ignored;
      if (!read_string(ignored)) return false;
      skip_space();
    } else {
      at = find('>', at);
    }
    if (at >= size) return fail("syntax", "the literal is not closed", start);
    return expect('>', "> is expected after the literal");
  }

 protected:
  static constexpr int most_attributes = 256;

  constexpr bool is_key(const word& name, const keyword& wanted) const {
    return name.key == wanted.key && name.size == wanted.size;
  }

  constexpr bool follow_aliases() {
    for (int depth = 0; depth < 8; ++depth) {
      if (peek() != '#') return true;
      const int start = at++;
      const word name = read_name();
      const alias* found = nullptr;
      for (const alias& known : state.aliases)
        if (known.kind == alias::what::attribute && same(known.text, name)) found = &known;
      if (found == nullptr) {
        at = start;
        return true;
      }
      at = found->position;
    }
    return fail("attribute", "aliases of attributes are nested deeper than 8");
  }

  // `array<i64: 1, 2>`, `[1, 2]`, `[[1, 2], [3, 4]]` or `dense<...> : tensor<...>`. take(value, row) gets each number.
  template <class Take>
  constexpr bool read_integers(Take take) {
    if (!follow_aliases()) return false;
    const int start = at;
    index_t row = 0;
    list_depth_ = 1;
    list_columns_ = 0;
    if (peek() == '[') return read_integer_list(take, row, 1);
    const word kind = read_word();
    if (is(kind, "array")) {
      if (!expect('<', "< is expected after array")) return false;
      read_word();
      if (accept('>')) return true;
      if (!expect(':', ": is expected after the type of an array")) return false;
      do {
        index_t value = 0;
        if (!read_integer_or_boolean(value)) return false;
        take(value, 0);
      } while (accept(','));
      return expect('>', "> is expected after the elements of an array");
    }
    if (is(kind, "dense")) return skip_dense(start) && read_dense_integers(kind.end(), take);
    return fail("attribute", "a list of integers is expected", start);
  }

  template <class Take>
  constexpr bool read_integer_list(Take& take, index_t& row, int depth) {
    if (depth > 2) return fail("attribute", "the list is nested too deep");
    if (depth == 2) list_depth_ = 2;
    ++at;
    if (accept(']')) {
      if (depth == 1) list_depth_ = 2;
      return true;
    }
    do {
      if (peek() == '[') {
        if (!read_integer_list(take, row, depth + 1)) return false;
        ++row;
        continue;
      }
      index_t value = 0;
      if (!read_integer_or_boolean(value)) return false;
      if (accept(':') && !skip_type()) return false;
      take(value, row);
    } while (accept(','));
    return expect(']', "] is expected");
  }

  template <class Take>
  constexpr bool read_dense_integers(int first, Take& take) {
    const int last = at - 1;
    while (data[first] != '<') ++first;
    ++first;
    if (!expect(':', "the type of the list is expected")) return false;
    const int start = at;
    int type = 0;
    if (!read_type(type)) return false;
    tensor_type of = g.types.data[type];
    list_depth_ = of.rank();
    list_columns_ = of.rank() == 2 ? of.shape.at[1] : 0;
    if (of.element == dtype::other) of.element = dtype::i64;
    if (of.is_quantized() || (of.element != dtype::i64 && !is_boolean(of.element)))
      return fail("attribute", "a list of integers of the type i64 is expected", start);
    const index_t row = of.rank() == 2 && of.shape.at[1] > 0 ? of.shape.at[1] : INT64_MAX;
    literal_reader literal({data, std::size_t(size)}, first, last - first, of);
    index_t count = 0;
    const bool good = literal.decode([&](index_t element, int, std::uint64_t bits) {
      count = literal.is_splat() ? of.size() : 1;
      if (count > ints_table::capacity) return;
      for (index_t i = 0; i < count; ++i) take(index_t(bits), (element + i) / row);
    });
    if (!good) {
      error = literal.error;
      return false;
    }
    return count <= ints_table::capacity || fail("too_large", "the attribute is too long", start);
  }

  constexpr bool read_integer_or_boolean(index_t& value) {
    if (accept("true")) return value = 1, true;
    if (accept("false")) return value = 0, true;
    return read_integer(value);
  }

  constexpr bool read_symbol(word& name) {
    if (!expect('@', "a name is expected, such as @mesh")) return false;
    if (peek() == '"') return read_quoted(name);
    name = read_name();
    return name.size > 0 || fail("syntax", "a name is expected after @");
  }
};

}  // namespace tenon::text
