// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/attribute_fields.hpp>
#include <tenon/text/window_numbers.hpp>

#include <limits>

namespace tenon::text {

// Reads attributes: first where each stands, then, with an op's fields at hand, what they are.
class attribute_reader : public window_number_reader {
 public:
  using window_number_reader::window_number_reader;

  // The type written after the last literal that was read, or -1.
  int literal_type_ = -1;
  // Where the op that is being read has its name.
  int op_position_ = 0;
  // Fills the fields of an op, or of a group within one, from the attributes noted since `first`.
  template <class Op>
  constexpr bool read_fields(Op& op, int first) {
    if (first == state.attributes.size && !text::detail::fields_of<Op>::name.any_required) return true;
    if constexpr (text::detail::fields_of<Op>::count > 0) {
      if (!expand_groups({text::detail::fields_of<Op>::name.at, text::detail::fields_of<Op>::count}, first))
        return false;
      if (!text::detail::for_fields(
              op, [&](const text::detail::field_name& name, auto& field) { return read_field(name, field, first); }))
        return false;
    }
    return all_are_known(first);
  }

 protected:
  // What was noted since `first` and no field has taken is an error.
  constexpr bool all_are_known(int first) {
    for (int i = first; i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (entry.must_be_known && !entry.used && !has_dot(entry.name))
        return fail("attribute", "the op has no such attribute",
                    entry.name.first < 0 ? entry.position : entry.name.first);
    }
    return true;
  }

  constexpr int find_attribute(const text::detail::field_name& name, int first) const {
    for (int i = first; i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (is_named(entry.name, name)) return i;
      // Short names have at most 8 characters but for `lhs_dilate` and its like, which nothing else resembles.
      if (entry.short_name && name.short_key != 0 && entry.name.key == name.short_key) return i;
    }
    return -1;
  }
  constexpr bool is_named(const word& text, const text::detail::field_name& name) const {
    if (text.key != name.key || text.size != name.size) return false;
    if (text.first < 0 || name.size <= 8) return true;
    for (int i = 0; i < name.size; ++i)
      if (data[text.first + i] != name.characters[i]) return false;
    return true;
  }
  constexpr bool has_dot(const word& name) const {
    for (int i = 0; i < name.size; ++i)
      if (name.first >= 0 && data[name.first + i] == '.') return true;
    return false;
  }

  // Where the text groups attributes that the op has as fields of its own (`dimension_numbers =
  // #stablehlo.gather<...>`), the inner ones are noted as well.
  constexpr bool expand_groups(list<text::detail::field_name> fields, int first) {
    const int last = state.attributes.size;
    for (int i = first; i < last; ++i) {
      attribute_entry& entry = state.attributes.data[i];
      if (entry.used || entry.kind != attribute_entry::form::value || !is_group_name(entry.name)) continue;
      bool known = false;
      for (int f = 0; f < fields.size && !known; ++f)
        known =
            is_named(entry.name, fields.data[f]) || (entry.short_name && entry.name.key == fields.data[f].short_key);
      if (known) continue;
      entry.used = true;
      const attribute_entry outer = entry;
      const int after = at;
      at = outer.position;
      char close = '\0';
      if (!enter_group(close)) return false;
      if (close == '\0') {
        for (int part = 0; part < 9; ++part)
          add_attribute(word_of(text::detail::window_number_names[part]), outer.position, false,
                        attribute_entry::form::part, part);
      } else {
        const int inner = state.attributes.size;
        if (!read_dictionary(close, false)) return false;
        int channel_parts = 0;
        for (int j = inner; j < state.attributes.size; ++j) {
          attribute_entry& member = state.attributes.data[j];
          if (is(member.name, "handle")) member.name = word_of("channel_id"), ++channel_parts;
          if (is(member.name, "type")) member.name = word_of("channel_type"), ++channel_parts;
        }
        if (is_key(outer.name, "channel_handle") && channel_parts != 2)
          return fail("attribute", "a channel has a handle and a type", outer.position);
      }
      at = after;
    }
    return true;
  }
  constexpr bool is_group_name(const word& name) const {
    return is_key(name, "dimension_numbers") || is_key(name, "dim_numbers") || is_key(name, "dot_dimension_numbers") ||
           is_key(name, "scatter_dimension_numbers") || is_key(name, "ragged_dot_dimension_numbers") ||
           is_key(name, "channel_handle") || is_key(name, "algorithm");
  }
  // Into `#stablehlo.gather<...>`, `<...>` or `{...}`; gives the bracket that closes it, or 0 in front of the short
  // form of window numbers.
  constexpr bool enter_group(char& close) {
    if (!follow_aliases()) return false;
    if (accept('#')) read_name();
    if (peek() == '[') return true;
    close = peek() == '{' ? '}' : '>';
    if (peek() != '{' && peek() != '<') return fail("attribute", "a group of attributes is expected");
    ++at;
    if (peek() == '[') close = '\0';
    accept("raw");
    return true;
  }

  template <class T>
  constexpr bool read_field(const text::detail::field_name& name, T& field, int first) {
    const int found = find_attribute(name, first);
    if (found < 0) {
      if constexpr (text::detail::group<T> && !text::detail::needs_all_members<T>) {
        if (first < state.attributes.size) return read_flat(field, first);
      }
      return !name.required || fail("attribute", "an attribute that the op needs is missing", op_position_);
    }
    attribute_entry& entry = state.attributes.data[found];
    entry.used = true;
    const int after = at;
    if (entry.kind == attribute_entry::form::name) {
      if constexpr (std::is_same_v<T, bool>) {
        field = true;
        return true;
      } else {
        return fail("attribute", "the attribute needs a value", entry.name.first);
      }
    }
    at = entry.position;
    const bool result = entry.kind == attribute_entry::form::part ? read_part(field, entry.part) : read_value(field);
    at = after;
    return result;
  }
  // The fields of a group may stand among those of the op.
  template <class T>
  constexpr bool read_flat(T& field, int first) {
    return text::detail::for_fields(
        field, [&](const text::detail::field_name& name, auto& inner) { return read_field(name, inner, first); });
  }

  constexpr bool read_value(ints& field) {
    field = {};
    const int start = at;
    if (!read_integers([&](index_t value, index_t) { field.push(value); })) return false;
    return list_depth_ < 2 || field.empty() || fail("attribute", "a list of integers is expected, not of lists", start);
  }
  constexpr bool read_value(ints_table& field) {
    field = {};
    if (!follow_aliases()) return false;
    if (peek() == '#') return read_mesh_axes(field);
    const int start = at;
    int count = 0;
    index_t last_row = 0;
    bool even = true;
    if (!read_integers([&](index_t value, index_t row) {
          if (count < ints_table::capacity) field.at[count] = value;
          if (row != last_row) {
            if (field.rows == 0) field.columns = count;
            even = even && count % field.columns == 0 && count / field.columns == ++field.rows;
          }
          last_row = row;
          ++count;
        }))
      return false;
    if (count > ints_table::capacity) return fail("too_large", "the attribute is too long", start);
    if (count > 0) {
      if (field.rows == 0) field.columns = count;
      even = even && count == ++field.rows * field.columns;
    }
    if (!even) return fail("attribute", "the rows of the table have different lengths", start);
    if (count == 0 && list_columns_ <= ints_table::capacity) field.columns = int(list_columns_);
    return list_depth_ == 2 || fail("attribute", "a list of lists of integers is expected", start);
  }

  constexpr bool read_value(bool& field) {
    if (!follow_aliases()) return false;
    field = accept("true") || accept("unit");
    if (field || accept("false")) return true;
    const int start = at;
    index_t value = 0;
    if (!text::detail::is(peek(), text::detail::digit) || !read_integer(value) || !accept(':') || !accept("i1"))
      return fail("attribute", "true or false is expected", start);
    field = value != 0;
    return true;
  }
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  constexpr bool read_value(T& field) {
    if (!follow_aliases()) return false;
    const int start = at;
    index_t value = 0;
    if (!read_integer(value)) return false;
    if (at < size && data[at] == '.') return fail("attribute", "a whole number is expected", start);
    if (value < index_t(std::numeric_limits<T>::min()) || value > index_t(std::numeric_limits<T>::max()))
      return fail("attribute", "the number is out of range", start);
    field = T(value);
    return true;
  }
  template <class T>
    requires std::is_floating_point_v<T>
  constexpr bool read_value(T& field) {
    double value = 0;
    if (!follow_aliases() || !read_float(value)) return false;
    field = T(value);
    return true;
  }
  constexpr bool read_value(dtype& field) {
    const int start = at;
    const word name = read_word();
    field = dtype_named({data + name.first, std::size_t(name.size)});
    return field != dtype::none || fail("attribute", "an element type is expected", start);
  }
  // `GE`, `#stablehlo<comparison_direction GE>`, `#stablehlo.result_accuracy_mode<DEFAULT>`, or the number of the
  // value.
  template <class T>
    requires std::is_enum_v<T>
  constexpr bool read_value(T& field) {
    if (!follow_aliases()) return false;
    const int start = at;
    bool closed = false;
    if (accept('#')) {
      read_name();
      if (!expect('<', "< is expected")) return false;
      closed = true;
    } else if (text::detail::is(peek(), text::detail::digit)) {
      index_t value = 0;
      if (!read_integer(value)) return false;
      if (value >= index_t(std::size(enumerators<T>)))
        return fail("attribute", "the attribute has no such value", start);
      field = T(value);
      return true;
    }
    word name = read_word();
    if (closed && peek() != '>') name = read_word();
    if (closed && !expect('>', "> is expected")) return false;
    for (int i = 0; i < int(std::size(enumerators<T>)); ++i) {
      const std::string_view known = enumerators<T>[i];
      if (is_named(name, {known.data(), int(known.size()), key_of(known)})) {
        field = T(i);
        return true;
      }
    }
    return fail("attribute", "the attribute has no such value", start);
  }
  // `[a, b]`
  template <class T, int Capacity>
  constexpr bool read_value(short_list<T, Capacity>& field) {
    field = {};
    if (!follow_aliases() || !expect('[', "[ is expected")) return false;
    if (accept(']')) return true;
    do {
      T value{};
      if (!read_value(value)) return false;
      field.push(value);
    } while (accept(','));
    return expect(']', "] is expected");
  }
  // A string, a symbol, or a word.
  constexpr bool read_value(name_id& field) {
    if (!follow_aliases()) return false;
    const int start = at;
    word name;
    if (accept('@') && peek() != '"') {
      name = read_name();
    } else if (peek() == '"') {
      if (!read_string(name)) return false;
    } else {
      name = read_word();
    }
    if (name.size == 0 && data[start] != '"' && data[start] != '@')
      return fail("attribute", "a string or a symbol is expected", start);
    field.id = intern_text(name.first, name.size);
    return true;
  }
  constexpr bool read_value(literal_id& field) {
    if (!follow_aliases()) return false;
    const int start = at;
    const word kind = read_word();
    if (is(kind, "dense_resource"))
      return fail("not_supported", "the elements are in a resource, outside the text: write them as dense<...>", start);
    if (!is(kind, "dense")) return fail("attribute", "a literal is expected, such as dense<0.0>", start);
    if (!skip_dense(start)) return false;
    int first = kind.end();
    while (data[first] != '<') ++first;
    field.id = g.literals.push({graph_literal::place::text, first + 1, at - 1 - (first + 1)});
    literal_type_ = -1;
    const int after = at;
    if (accept(':') && peek() != '(') {
      if (!read_type(literal_type_)) return false;
    }
    at = after;
    return true;
  }
  constexpr bool read_value(opaque_attribute& field) {
    if (!follow_aliases()) return false;
    const int start = at;
    if (peek() == '{' ? !skip_dictionary(0) : !skip_value(false)) return false;
    field.id = intern_text(start, at - start, true);
    return true;
  }
  // Past `{...}`, in which every attribute has a name of its own and a value.
  constexpr bool skip_dictionary(int depth) {
    if (depth == 16) return fail("too_large", "dictionaries are nested deeper than 16");
    ++at;
    const int first = state.attributes.size;
    bool result = read_dictionary('}', false);
    const int after = at;
    for (int i = first; result && i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (entry.kind != attribute_entry::form::value || data[entry.position] != '{') continue;
      at = entry.position;
      result = skip_dictionary(depth + 1);
    }
    if (result) at = after;
    state.attributes.size = first;
    return result;
  }
  template <text::detail::group T>
  constexpr bool read_value(T& field) {
    char close = '\0';
    if (!enter_group(close)) return false;
    if (close == '\0') return read_window_fields(field);
    const int first = state.attributes.size;
    const bool result = read_dictionary(close, true) && read_fields(field, first);
    state.attributes.size = first;
    return result;
  }

  // One part of `[a:b:c, ...]`, or of window numbers.
  template <class T>
  constexpr bool read_part(T& field, int part) {
    ints values;
    if (part < 9) {
      text::detail::window_numbers numbers;
      char close = '\0';
      if (!enter_group(close) || !read_window_numbers(numbers)) return false;
      values = numbers.part[part];
    } else if (!read_slice_part(values, part - 9)) {
      return false;
    }
    return set_part(field, values);
  }
  template <class T>
  constexpr bool set_part(T& field, const ints& values) {
    if constexpr (std::is_same_v<T, ints>) {
      field = values;
    } else if constexpr (std::is_integral_v<T>) {
      field = T(values[0]);
    } else {
      return fail("attribute", "the attribute has another type");
    }
    return true;
  }
  constexpr bool read_slice_part(ints& values, int part) {
    if (!expect('[', "[ is expected")) return false;
    if (accept(']')) return true;
    do {
      index_t bounds[3] = {0, 0, 1};
      if (!read_integer(bounds[0]) || !expect(':', ": is expected") || !read_integer(bounds[1]) ||
          (accept(':') && !read_integer(bounds[2])))
        return false;
      values.push(bounds[part]);
    } while (accept(','));
    return expect(']', "] is expected");
  }

  template <class T>
  constexpr bool read_window_fields(T& field) {
    text::detail::window_numbers numbers;
    if (!read_window_numbers(numbers)) return false;
    return text::detail::for_fields(field, [&](const text::detail::field_name& name, auto& inner) {
      for (int part = 0; part < 9; ++part) {
        const keyword& known = text::detail::window_number_names[part];
        if (known.key == name.key && known.size == name.size) return set_part(inner, numbers.part[part]);
      }
      return true;
    });
  }
};

}  // namespace tenon::text
