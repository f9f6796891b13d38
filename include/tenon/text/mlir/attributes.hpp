// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/attribute_fields.hpp>
#include <tenon/text/mlir/mesh.hpp>
#include <tenon/text/mlir/window_numbers.hpp>

#include <limits>
#include <utility>

namespace tenon::text::mlir {

// Reads attributes: first where each stands, then, with an op's fields at hand, what they are.
class attribute_reader : public reader_part {
 public:
  type_reader& types;
  attribute_scanner& scanner;
  mesh_reader meshes;

  // The type written after the last literal that was read, or -1.
  int literal_type = -1;
  // Where the op that is being read has its name.
  int op_position = 0;

  constexpr explicit attribute_reader(attribute_scanner& of_attributes)
      : reader_part(of_attributes), types(of_attributes.types), scanner(of_attributes), meshes(of_attributes) {}

  // Fills the fields of an op, or of a group within one, from the attributes noted since `first`.
  template <class Op>
  constexpr bool read_fields(Op& op, int first) {
    if (first == state.attributes.size && !fields_of<Op>::name.any_required) return true;
    if constexpr (fields_of<Op>::count > 0) {
      if (!expand_groups({fields_of<Op>::name.at, fields_of<Op>::count}, first)) return false;
      if (!for_fields(op, [&](const field_name& name, auto& field) { return read_field(name, field, first); }))
        return false;
      if constexpr (requires { op.backend_config; }) {
        if (!read_typed_configuration(op, first)) return false;
      }
    }
    return all_are_known(first);
  }

  // JAX leaves backend_config empty and writes the dictionary of a typed call under a name of its own.
  template <class Op>
  constexpr bool read_typed_configuration(Op& op, int first) {
    for (int i = first; i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (entry.kind != attribute_entry::form::value || !in.is(entry.name, "mhlo.backend_config")) continue;
      const int after = std::exchange(in.at, entry.position);
      if (in.peek() == '{' && !read_value(op.backend_config)) return false;
      if (in.data[entry.position] == '{') op.api_version = Op::typed_api_version;
      in.at = after;
    }
    return true;
  }

  constexpr int find_attribute(const field_name& name, int first) const {
    for (int i = first; i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (is_named(entry.name, name)) return i;
      // Short names have at most 8 characters but for `lhs_dilate` and its like, which nothing else resembles.
      if (entry.short_name && name.short_key != 0 && entry.name.key == name.short_key) return i;
    }
    return -1;
  }
  constexpr bool is_named(const word& text, const field_name& name) const {
    if (text.key != name.key || text.size != name.size) return false;
    if (text.first < 0 || name.size <= 8) return true;
    for (int i = 0; i < name.size; ++i)
      if (in.data[text.first + i] != name.characters[i]) return false;
    return true;
  }
  constexpr bool has_dot(const word& name) const {
    for (int i = 0; i < name.size; ++i)
      if (name.first >= 0 && in.data[name.first + i] == '.') return true;
    return false;
  }

  // Where the text groups attributes that the op has as fields of its own (`dimension_numbers =
  // #stablehlo.gather<...>`), the inner ones are noted as well.
  constexpr bool expand_groups(list<field_name> fields, int first) {
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
      const int after = in.at;
      in.at = outer.position;
      char close = '\0';
      if (!enter_group(close)) return false;
      if (close == '\0') {
        for (int part = 0; part < 9; ++part)
          scanner.add_attribute(word_of(window_number_names[part]), outer.position, false, attribute_entry::form::part,
                                part);
      } else {
        const int inner = state.attributes.size;
        if (!scanner.read_dictionary(close, false)) return false;
        int channel_parts = 0;
        for (int j = inner; j < state.attributes.size; ++j) {
          attribute_entry& member = state.attributes.data[j];
          if (in.is(member.name, "handle")) member.name = word_of("channel_id"), ++channel_parts;
          if (in.is(member.name, "type")) member.name = word_of("channel_type"), ++channel_parts;
        }
        if (is_key(outer.name, "channel_handle") && channel_parts != 2)
          return in.fail("attribute", "a channel has a handle and a type", outer.position);
      }
      in.at = after;
    }
    return true;
  }
  constexpr bool is_group_name(const word& name) const {
    constexpr key_list<7> names(
        "dimension_numbers dim_numbers dot_dimension_numbers scatter_dimension_numbers ragged_dot_dimension_numbers "
        "channel_handle algorithm");
    return names.contains(name.key);
  }
  // Into `#stablehlo.gather<...>`, `<...>` or `{...}`; gives the bracket that closes it, or 0 in front of the short
  // form of window numbers.
  constexpr bool enter_group(char& close) {
    if (!scanner.follow_aliases()) return false;
    if (in.accept('#')) in.read_name();
    if (in.peek() == '[') return true;
    close = in.peek() == '{' ? '}' : '>';
    if (in.peek() != '{' && in.peek() != '<') return in.fail("attribute", "a group of attributes is expected");
    ++in.at;
    if (in.peek() == '[') close = '\0';
    in.accept("raw");
    return true;
  }

  template <class T>
  constexpr bool read_field(const field_name& name, T& field, int first) {
    const int found = find_attribute(name, first);
    if (found < 0) {
      if constexpr (group<T> && !needs_all_members<T>) {
        if (first < state.attributes.size) return read_flat(field, first);
      }
      return !name.required || in.fail("attribute", "an attribute that the op needs is missing", op_position);
    }
    attribute_entry& entry = state.attributes.data[found];
    entry.used = true;
    const int after = in.at;
    if (entry.kind == attribute_entry::form::name) {
      if constexpr (std::is_same_v<T, bool>) {
        field = true;
        return true;
      } else {
        return in.fail("attribute", "the attribute needs a value", entry.name.first);
      }
    }
    in.at = entry.position;
    const bool result = entry.kind == attribute_entry::form::part ? read_part(field, entry.part) : read_value(field);
    in.at = after;
    return result;
  }
  // The fields of a group may stand among those of the op.
  template <class T>
  constexpr bool read_flat(T& field, int first) {
    return for_fields(field, [&](const field_name& name, auto& inner) { return read_field(name, inner, first); });
  }

  constexpr bool read_value(ints& field) {
    field = {};
    const int start = in.at;
    if (!scanner.read_integers([&](index_t value, index_t) { field.push(value); })) return false;
    return scanner.list_depth < 2 || field.empty() ||
           in.fail("attribute", "a list of integers is expected, not of lists", start);
  }
  constexpr bool read_value(ints_table& field) {
    field = {};
    const int start = in.at;
    int rows = 0, columns = 0;
    if (!read_rows(rows, columns)) return false;
    if (rows * columns > ints_table::capacity) return in.fail("too_large", "the attribute is too long", start);
    field.rows = rows, field.columns = columns;
    for (int i = 0; i < rows * columns; ++i) field.at[i] = state.constants.data[i];
    return true;
  }
  // An op has one table of ids, which stay among the constants until it is written down.
  constexpr bool read_value(id_table& field) {
    if (!scanner.follow_aliases()) return false;
    if (in.peek() == '#') return meshes.read_mesh_axes(field);
    int rows = 0, columns = 0;
    if (!read_rows(rows, columns)) return false;
    field = id_table(rows, columns, state.constants.data);
    return true;
  }
  // The numbers become the only constants.
  constexpr bool read_rows(int& rows, int& columns) {
    if (!scanner.follow_aliases()) return false;
    const int start = in.at;
    int count = 0;
    index_t last_row = 0;
    bool even = true;
    state.constants.size = 0;
    if (!scanner.read_integers([&](index_t value, index_t row) {
          state.constants.push(value);
          if (row != last_row) {
            if (rows == 0) columns = count;
            even = even && count % columns == 0 && count / columns == ++rows;
          }
          last_row = row;
          ++count;
        }))
      return false;
    if (count > 0) {
      if (rows == 0) columns = count;
      even = even && count == ++rows * columns;
    }
    if (!even) return in.fail("attribute", "the rows of the table have different lengths", start);
    if (count == 0 && scanner.list_columns <= id_table::most_inside) columns = int(scanner.list_columns);
    if (state.constants.overflow) rows = 0;
    return scanner.list_depth == 2 || in.fail("attribute", "a list of lists of integers is expected", start);
  }

  constexpr bool read_value(bool& field) {
    if (!scanner.follow_aliases()) return false;
    field = in.accept("true") || in.accept("unit");
    if (field || in.accept("false")) return true;
    const int start = in.at;
    index_t value = 0;
    if (!text::detail::is(in.peek(), text::detail::digit) || !in.read_integer(value) || !in.accept(':') ||
        !in.accept("i1"))
      return in.fail("attribute", "true or false is expected", start);
    field = value != 0;
    return true;
  }
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  constexpr bool read_value(T& field) {
    if (!scanner.follow_aliases()) return false;
    const int start = in.at;
    index_t value = 0;
    if (!in.read_integer(value)) return false;
    if (in.at < in.size && in.data[in.at] == '.') return in.fail("attribute", "a whole number is expected", start);
    if (value < index_t(std::numeric_limits<T>::min()) || value > index_t(std::numeric_limits<T>::max()))
      return in.fail("attribute", "the number is out of range", start);
    field = T(value);
    return true;
  }
  template <class T>
    requires std::is_floating_point_v<T>
  constexpr bool read_value(T& field) {
    double value = 0;
    if (!scanner.follow_aliases() || !in.read_float(value)) return false;
    field = T(value);
    return true;
  }
  constexpr bool read_value(dtype& field) {
    const int start = in.at;
    const word name = in.read_word();
    field = dtype_named({in.data + name.first, std::size_t(name.size)});
    return field != dtype::none || in.fail("attribute", "an element type is expected", start);
  }
  // `GE`, `#stablehlo<comparison_direction GE>`, `#stablehlo.result_accuracy_mode<DEFAULT>`, or the number of the
  // value.
  template <class T>
    requires std::is_enum_v<T>
  constexpr bool read_value(T& field) {
    if (!scanner.follow_aliases()) return false;
    const int start = in.at;
    bool closed = false;
    if (in.accept('#')) {
      in.read_name();
      if (!in.expect('<', "< is expected")) return false;
      closed = true;
    } else if (text::detail::is(in.peek(), text::detail::digit)) {
      index_t value = 0;
      if (!in.read_integer(value)) return false;
      if (value >= index_t(std::size(enumerators<T>)))
        return in.fail("attribute", "the attribute has no such value", start);
      field = T(value);
      return true;
    }
    word name = in.read_word();
    if (closed && in.peek() != '>') name = in.read_word();
    if (closed && !in.expect('>', "> is expected")) return false;
    for (int i = 0; i < int(std::size(enumerators<T>)); ++i) {
      const std::string_view known = enumerators<T>[i];
      if (is_named(name, {known.data(), int(known.size()), key_of(known)})) {
        field = T(i);
        return true;
      }
    }
    return in.fail("attribute", "the attribute has no such value", start);
  }
  // `[a, b]`
  template <class T, int Capacity>
  constexpr bool read_value(short_list<T, Capacity>& field) {
    field = {};
    if (!scanner.follow_aliases() || !in.expect('[', "[ is expected")) return false;
    if (in.accept(']')) return true;
    do {
      T value{};
      if (!read_value(value)) return false;
      field.push(value);
    } while (in.accept(','));
    return in.expect(']', "] is expected");
  }
  // A string, a symbol, or a word.
  constexpr bool read_value(name_id& field) {
    if (!scanner.follow_aliases()) return false;
    const int start = in.at;
    word name;
    if (in.accept('@') && in.peek() != '"') {
      name = in.read_name();
    } else if (in.peek() == '"') {
      if (!in.read_string(name)) return false;
    } else {
      name = in.read_word();
    }
    if (name.size == 0 && in.data[start] != '"' && in.data[start] != '@')
      return in.fail("attribute", "a string or a symbol is expected", start);
    field.id = build.intern_text(name.first, name.size);
    return true;
  }
  constexpr bool read_value(literal_id& field) {
    if (!scanner.follow_aliases()) return false;
    const int start = in.at;
    const word kind = in.read_word();
    if (in.is(kind, "dense_resource")) return read_resource(field, start);
    if (!in.is(kind, "dense")) return in.fail("attribute", "a literal is expected, such as dense<0.0>", start);
    if (!scanner.skip_dense(start)) return false;
    int first = kind.end();
    while (in.data[first] != '<') ++first;
    field.id = g.literals.push({graph_literal::place::text, first + 1, in.at - 1 - (first + 1)});
    return read_literal_type();
  }
  constexpr bool read_literal_type() {
    literal_type = -1;
    const int after = in.at;
    if (in.accept(':') && in.peek() != '(') {
      if (!types.read_type(literal_type)) return false;
    }
    in.at = after;
    return true;
  }
  // `dense_resource<name>`, of which `{-# dialect_resources: { builtin: { name: "0x..." } } #-}` behind the module
  // holds the elements.
  constexpr bool read_resource(literal_id& field, int start) {
    if (!in.expect('<', "< is expected after dense_resource")) return false;
    const word name = in.peek() == '"' ? word{} : in.read_name();
    word quoted = name;
    if (name.size == 0 && !in.read_quoted(quoted)) return false;
    if (!in.expect('>', "> is expected after the name of a resource")) return false;
    const int after = in.at;
    for (in.at = first_resource(); in.at < in.size && field.id < 0;) {
      word found;
      if (in.peek() == '"') {
        if (!in.read_quoted(found)) return false;
      } else {
        found = in.read_name();
      }
      if (found.size == 0) ++in.at;
      if (found.size == 0 || !in.same(found, quoted) || !in.accept(':') || in.peek() != '"') continue;
      const int first = in.at;
      if (!in.read_string(found)) return false;
      field.id = g.literals.push({graph_literal::place::resource, first, in.at - first});
    }
    in.at = after;
    if (field.id < 0) return in.fail("attribute", "the text has no resource of that name behind the module", start);
    return read_literal_type();
  }
  // Where `{-#` stands, behind the module.
  constexpr int first_resource() const {
    int at = in.size;
    while (at > 0 && !(in.data[at - 1] == '{' && in.same_characters(at - 1, "{-#", 3))) --at;
    return at == 0 ? in.size : at - 1;
  }
  constexpr bool read_value(opaque_attribute& field) {
    if (!scanner.follow_aliases()) return false;
    const int start = in.at;
    if (in.peek() == '{' ? !skip_dictionary(0) : !scanner.skip_value(false)) return false;
    // An empty string is what is left out, too.
    if (in.at - start > 2 || in.data[start] != '"') field.id = build.intern_text(start, in.at - start, true);
    return true;
  }
  // Past `{...}`, in which every attribute has a name of its own and a value.
  constexpr bool skip_dictionary(int depth) {
    if (depth == 16) return in.fail("too_large", "dictionaries are nested deeper than 16");
    ++in.at;
    const int first = state.attributes.size;
    bool result = scanner.read_dictionary('}', false);
    const int after = in.at;
    for (int i = first; result && i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (entry.kind != attribute_entry::form::value || in.data[entry.position] != '{') continue;
      in.at = entry.position;
      result = skip_dictionary(depth + 1);
    }
    if (result) in.at = after;
    state.attributes.size = first;
    return result;
  }
  template <group T>
  constexpr bool read_value(T& field) {
    char close = '\0';
    if (!enter_group(close)) return false;
    if (close == '\0') return read_window_fields(field);
    const int first = state.attributes.size;
    const bool result = scanner.read_dictionary(close, true) && read_fields(field, first);
    state.attributes.size = first;
    return result;
  }

  // One part of `[a:b:c, ...]`, or of window numbers.
  template <class T>
  constexpr bool read_part(T& field, int part) {
    ints values;
    if (part < 9) {
      window_numbers numbers;
      char close = '\0';
      if (!enter_group(close) || !read_window_numbers(in, numbers)) return false;
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
      return in.fail("attribute", "the attribute has another type");
    }
    return true;
  }
  constexpr bool read_slice_part(ints& values, int part) {
    if (!in.expect('[', "[ is expected")) return false;
    if (in.accept(']')) return true;
    do {
      index_t bounds[3] = {0, 0, 1};
      if (!in.read_integer(bounds[0]) || !in.expect(':', ": is expected") || !in.read_integer(bounds[1]) ||
          (in.accept(':') && !in.read_integer(bounds[2])))
        return false;
      values.push(bounds[part]);
    } while (in.accept(','));
    return in.expect(']', "] is expected");
  }

  template <class T>
  constexpr bool read_window_fields(T& field) {
    window_numbers numbers;
    if (!read_window_numbers(in, numbers)) return false;
    return for_fields(field, [&](const field_name& name, auto& inner) {
      for (int part = 0; part < 9; ++part) {
        const keyword& known = window_number_names[part];
        if (known.key == name.key && known.size == name.size) return set_part(inner, numbers.part[part]);
      }
      return true;
    });
  }

 private:
  // Attributes noted since `first` that no field has taken are an error.
  constexpr bool all_are_known(int first) {
    for (int i = first; i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (entry.must_be_known && !entry.used && !has_dot(entry.name))
        return in.fail("attribute", "the op has no such attribute",
                       entry.name.first < 0 ? entry.position : entry.name.first);
    }
    return true;
  }
};

}  // namespace tenon::text::mlir
