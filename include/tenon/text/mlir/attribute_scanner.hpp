// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/text/literal.hpp>
#include <tenon/text/mlir/types.hpp>

namespace tenon::text::mlir {

// Notes where the attributes of an op stand and reads those that are lists of integers.
class attribute_scanner : public reader_part {
  static constexpr int most_attributes = 256;

 public:
  type_reader& types;

  // How deep the last list of integers was nested.
  int list_depth = 0;
  index_t list_columns = 0;  // as its type says

  constexpr explicit attribute_scanner(type_reader& of_types) : reader_part(of_types), types(of_types) {}

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
  // Where the value of an attribute begins that was noted since `first`, or -1.
  constexpr int find_noted(const keyword& name, int first) const {
    for (int i = first; i < state.attributes.size; ++i)
      if (is_key(state.attributes.data[i].name, name)) {
        state.attributes.data[i].used = true;
        return state.attributes.data[i].position;
      }
    return -1;
  }
  // `{a = 1 : i64, b}` without the braces, up to `close`.
  constexpr bool read_dictionary(char close, bool must_be_known, bool typed = true) {
    const int first = state.attributes.size;
    while (in.peek() != close) {
      word name;
      if (in.peek() == '"') {
        if (!in.read_quoted(name)) return false;
      } else {
        name = in.read_word();
      }
      if (name.size == 0) return in.fail("syntax", "the name of an attribute is expected");
      if (state.attributes.size - first == most_attributes)
        return in.fail("too_large", "there are more than 256 attributes", name.first);
      for (int i = first; i < state.attributes.size; ++i)
        if (in.same(state.attributes.data[i].name, name))
          return in.fail("attribute", "the attribute is given twice", name.first);
      int position = -1;
      if (in.accept('=')) {
        in.skip_space();
        position = in.at;
        if (!skip_value(typed)) return false;
      }
      if (!add_attribute(name, position, must_be_known)) return false;
      if (!in.accept(',') && in.peek() != close) return in.fail("syntax", ", or the end of the attributes is expected");
    }
    ++in.at;
    return true;
  }

  // Past a value, and past `: type` where that may follow.
  constexpr bool skip_value(bool typed) {
    const char c = in.peek();
    const int start = in.at;
    if (c == '"') {
      word ignored;
      if (!in.read_string(ignored)) return false;
    } else if (c == '[' || c == '{' || c == '<' || c == '(') {
      if (!in.skip_balanced()) return false;
      if (c == '(' && in.accept_arrow()) return skip_value(false);
    } else if (c == '@') {
      do {
        in.at += 1;
        if (in.peek() == '"') {
          word ignored;
          if (!in.read_string(ignored)) return false;
        } else if (in.read_name().size == 0) {
          return in.fail("syntax", "a name is expected after @", start);
        }
      } while (in.accept(':', ':') && in.peek() == '@');
    } else if (c == '#' || c == '!') {
      ++in.at;
      if (in.read_name().size == 0) return in.fail("syntax", "a name is expected", start);
      if (in.at < in.size && in.data[in.at] == '<' && !in.skip_balanced()) return false;
    } else if (c == '-' || text::detail::is(c, text::detail::digit)) {
      skip_number();
    } else {
      const word kind = in.read_word();
      if (kind.size == 0) return in.fail("syntax", "the value of an attribute is expected", start);
      if (in.is(kind, "dense")) {
        if (!skip_dense(start)) return false;
      } else if (in.at < in.size && (in.data[in.at] == '<' || (in.data[in.at] == '(' && in.is(kind, "loc")))) {
        if (!in.skip_balanced()) return false;
      }
    }
    return !typed || !in.accept(':') || skip_type();
  }

  // At most one point and one exponent; the rest is not taken as part of the number.
  constexpr void skip_number() {
    if (in.data[in.at] == '-') ++in.at;
    if (in.at + 1 < in.size && in.data[in.at] == '0' && in.data[in.at + 1] == 'x') {
      for (in.at += 2; in.at < in.size && text::detail::is(in.data[in.at], text::detail::hex);) ++in.at;
      return;
    }
    in.skip_decimal();
  }

  constexpr bool skip_type() {
    const char c = in.peek();
    if (c == '(') {
      if (!in.skip_balanced()) return false;
      if (!in.accept_arrow()) return in.fail("syntax", "-> is expected");
      return skip_type();
    }
    if (c == '!') ++in.at;
    if ((c == '!' ? in.read_name() : in.read_word()).size == 0) return in.fail("type", "a type is expected");
    return in.at >= in.size || in.data[in.at] != '<' || in.skip_balanced();
  }

  // From `<` of a dense literal past its `>`; nothing inside is looked at.
  constexpr bool skip_dense(int start) {
    if (!in.expect('<', "< is expected after dense")) return false;
    if (in.peek() == '"') {
      word ignored;
      if (!in.read_string(ignored)) return false;
      in.skip_space();
    } else {
      in.at = in.find('>', in.at);
    }
    if (in.at >= in.size) return in.fail("syntax", "the literal is not closed", start);
    return in.expect('>', "> is expected after the literal");
  }

  constexpr bool follow_aliases() {
    for (int depth = 0; depth < 8; ++depth) {
      if (in.peek() != '#') return true;
      const int start = in.at++;
      const word name = in.read_name();
      const alias* found = nullptr;
      for (const alias& known : state.aliases)
        if (known.kind == alias::what::attribute && in.same(known.text, name)) found = &known;
      if (found == nullptr) {
        in.at = start;
        return true;
      }
      in.at = found->position;
    }
    return in.fail("attribute", "aliases of attributes are nested deeper than 8");
  }

  // `array<i64: 1, 2>`, `[1, 2]`, `[[1, 2], [3, 4]]` or `dense<...> : tensor<...>`. take(value, row) gets each number.
  template <class Take>
  constexpr bool read_integers(Take take) {
    if (!follow_aliases()) return false;
    const int start = in.at;
    index_t row = 0;
    list_depth = 1;
    list_columns = 0;
    if (in.peek() == '[') return read_integer_list(take, row, 1);
    const word kind = in.read_word();
    if (in.is(kind, "array")) {
      if (!in.expect('<', "< is expected after array")) return false;
      in.read_word();
      if (in.accept('>')) return true;
      if (!in.expect(':', ": is expected after the type of an array")) return false;
      do {
        index_t value = 0;
        if (!read_integer_or_boolean(value)) return false;
        take(value, 0);
      } while (in.accept(','));
      return in.expect('>', "> is expected after the elements of an array");
    }
    if (in.is(kind, "dense")) return skip_dense(start) && read_dense_integers(kind.end(), take);
    return in.fail("attribute", "a list of integers is expected", start);
  }

  template <class Take>
  constexpr bool read_integer_list(Take& take, index_t& row, int depth) {
    if (depth > 2) return in.fail("attribute", "the list is nested too deep");
    if (depth == 2) list_depth = 2;
    ++in.at;
    if (in.accept(']')) {
      if (depth == 1) list_depth = 2;
      return true;
    }
    do {
      if (in.peek() == '[') {
        if (!read_integer_list(take, row, depth + 1)) return false;
        ++row;
        continue;
      }
      index_t value = 0;
      if (!read_integer_or_boolean(value)) return false;
      if (in.accept(':') && !skip_type()) return false;
      take(value, row);
    } while (in.accept(','));
    return in.expect(']', "] is expected");
  }

  template <class Take>
  constexpr bool read_dense_integers(int first, Take& take) {
    const int last = in.at - 1;
    while (in.data[first] != '<') ++first;
    ++first;
    if (!in.expect(':', "the type of the list is expected")) return false;
    const int start = in.at;
    int type = 0;
    if (!types.read_type(type)) return false;
    tensor_type of = g.types.data[type];
    list_depth = of.rank();
    list_columns = of.rank() == 2 ? of.shape.at[1] : 0;
    if (of.element == dtype::other) of.element = dtype::i64;
    if (of.is_quantized() || (of.element != dtype::i64 && !is_boolean(of.element)))
      return in.fail("attribute", "a list of integers of the type i64 is expected", start);
    const index_t row = of.rank() == 2 && of.shape.at[1] > 0 ? of.shape.at[1] : INT64_MAX;
    literal_reader literal({in.data, std::size_t(in.size)}, first, last - first, of);
    index_t count = 0;
    const bool good = literal.decode([&](index_t element, int, std::uint64_t bits) {
      count = literal.is_splat() ? of.size() : 1;
      if (literal.is_splat() && count > ints_table::capacity) return;
      for (index_t i = 0; i < count; ++i) take(index_t(bits), (element + i) / row);
    });
    if (!good) {
      in.error = literal.error;
      return false;
    }
    return !literal.is_splat() || count <= ints_table::capacity ||
           in.fail("too_large", "the attribute is too long", start);
  }

  constexpr bool read_integer_or_boolean(index_t& value) {
    if (in.accept("true")) return value = 1, true;
    if (in.accept("false")) return value = 0, true;
    return in.read_integer(value);
  }

  constexpr bool read_symbol(word& name) {
    if (!in.expect('@', "a name is expected, such as @mesh")) return false;
    if (in.peek() == '"') return in.read_quoted(name);
    name = in.read_name();
    return name.size > 0 || in.fail("syntax", "a name is expected after @");
  }
};

}  // namespace tenon::text::mlir
