// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/text/literal.hpp>
#include <tenon/text/types.hpp>

#include <limits>

namespace tenon::text {

namespace detail {

struct field_name {
  const char* characters = "";
  int size = 0;
  word_key key = 0;
  word_key short_key = 0;  // of the name that the ops' own notations have for it
  bool required = false;
};

struct short_name {
  keyword field, text;
};
inline constexpr short_name short_names[] = {
    {"iota_dimension", "dim"},
    {"dimension", "dim"},
    {"broadcast_dimensions", "dims"},
    {"permutation", "dims"},
    {"dimensions", "dims"},
    {"slice_sizes", "sizes"},
    {"broadcast_sizes", "sizes"},
    {"edge_padding_low", "low"},
    {"edge_padding_high", "high"},
    {"interior_padding", "interior"},
    {"fft_type", "type"},
    {"fft_length", "length"},
    {"rng_algorithm", "algorithm"},
    {"rng_distribution", "distribution"},
    {"einsum_config", "config"},
    {"precision_config", "precision"},
    {"dimension_numbers", "dim_numbers"},
    {"window_strides", "stride"},
    {"padding", "pad"},
    {"lhs_dilation", "lhs_dilate"},
    {"rhs_dilation", "rhs_dilate"},
    {"window_reversal", "reverse"},
};

// The attributes without which an op means nothing.
inline constexpr keyword required_fields[] = {
    "all_gather_dim",
    "batch_group_count",
    "broadcast_dimensions",
    "broadcast_sizes",
    "call_target_name",
    "comparison_direction",
    "concat_dimension",
    "decomposition",
    "dimension",
    "dimension_numbers",
    "dimensions",
    "dot_dimension_numbers",
    "edge_padding_high",
    "edge_padding_low",
    "einsum_config",
    "epsilon",
    "exponent_bits",
    "feature_group_count",
    "feature_index",
    "fft_length",
    "fft_type",
    "index",
    "interior_padding",
    "iota_dimension",
    "left_side",
    "limit_indices",
    "mantissa_bits",
    "name",
    "permutation",
    "replica_groups",
    "rng_algorithm",
    "rng_distribution",
    "scatter_dimension",
    "scatter_dimension_numbers",
    "slice_sizes",
    "split_count",
    "split_dimension",
    "start_indices",
    "strides",
    "transpose_a",
    "unit_diagonal",
    "value",
    "window_dimensions",
};
constexpr bool is_required(word_key op, word_key field) {
  if (op == key_of("sort")) return false;
  for (const keyword& required : required_fields)
    if (required.key == field) return true;
  return (op == key_of("triangular_solve") && field == key_of("lower")) ||
         (op == key_of("collective_permute") && field == key_of("source_target_pairs"));
}

template <class Op>
constexpr word_key key_of_op() {
  if constexpr (requires { Op::name; })
    return key_of(std::string_view(Op::name));
  else
    return 0;
}

// Groups of attributes that mean nothing unless each of them is given.
template <class T>
concept needs_all_members = requires { requires T::needs_all_members; };

template <class Op>
struct fields_of {
  static constexpr int count = attribute_count<Op>;

  struct names {
    field_name at[count + 1];
    bool any_required = false;
  };
  // The fields' names as the text has them: without the underscore that keeps a name apart from a C++ word.
  static constexpr names name = [] {
    names result;
    int i = 0;
    Op op{};
    for_each_attribute(op, [&](std::string_view text, const auto&) {
      if (text.back() == '_') text.remove_suffix(1);
      const word_key key = key_of(text);
      result.at[i] = {text.data(), int(text.size()), key, 0, false};
      for (const short_name& known : short_names)
        if (known.field.key == key) result.at[i].short_key = known.text.key;
      // Groups and what they hold are not ops.
      result.at[i].required = needs_all_members<Op> || (key_of_op<Op>() != 0 && is_required(key_of_op<Op>(), key));
      result.any_required = result.any_required || result.at[i].required;
      ++i;
    });
    return result;
  }();
};

// Calls f(name, field) for every field until one answers false.
template <class Op, class Function>
constexpr bool for_fields(Op& op, Function f) {
  int i = 0;
  return visit_attributes(op, [&](std::string_view, auto& field) { return f(fields_of<Op>::name.at[i++], field); });
}

template <class T>
concept group = has_attributes<T>;

// The parts of `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, in the order of the fields of its long form.
struct window_numbers {
  ints part[9];
};

inline constexpr keyword window_number_names[] = {
    "input_batch_dimension",          "input_feature_dimension",         "input_spatial_dimensions",
    "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions",
    "output_batch_dimension",         "output_feature_dimension",        "output_spatial_dimensions"};

}  // namespace detail

// Reads attributes: first where each stands, then, with an op's fields at hand, what they are.
class attribute_reader : public type_reader {
 public:
  using type_reader::type_reader;

  // The type written after the last literal that was read, or -1.
  int literal_type_ = -1;
  // Where the op that is being read has its name.
  int op_position_ = 0;
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

  // Fills the fields of an op, or of a group within one, from the attributes noted since `first`.
  template <class Op>
  constexpr bool read_fields(Op& op, int first) {
    if (first == state.attributes.size && !text::detail::fields_of<Op>::name.any_required) return true;
    if constexpr (text::detail::fields_of<Op>::count > 0) {
      if (!expand_groups<Op>(first)) return false;
      if (!text::detail::for_fields(
              op, [&](const text::detail::field_name& name, auto& field) { return read_field(name, field, first); }))
        return false;
    }
    for (int i = first; i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (entry.must_be_known && !entry.used && !has_dot(entry.name))
        return fail("attribute", "the op has no such attribute",
                    entry.name.first < 0 ? entry.position : entry.name.first);
    }
    return true;
  }

 protected:
  static constexpr int most_attributes = 256;

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
  template <class Op>
  constexpr bool expand_groups(int first) {
    const int last = state.attributes.size;
    for (int i = first; i < last; ++i) {
      attribute_entry& entry = state.attributes.data[i];
      if (entry.used || entry.kind != attribute_entry::form::value || !is_group_name(entry.name)) continue;
      bool known = false;
      for (int f = 0; f < text::detail::fields_of<Op>::count && !known; ++f)
        known = is_named(entry.name, text::detail::fields_of<Op>::name.at[f]) ||
                (entry.short_name && entry.name.key == text::detail::fields_of<Op>::name.at[f].short_key);
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
           is_key(name, "scatter_dimension_numbers") || is_key(name, "channel_handle") || is_key(name, "algorithm");
  }
  constexpr bool is_key(const word& name, const keyword& wanted) const {
    return name.key == wanted.key && name.size == wanted.size;
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

  constexpr bool read_value(ints& field) {
    field = {};
    return read_integers([&](index_t value, index_t) { field.push(value); });
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

  // ---------- replica groups that the axes of a mesh decide

  struct mesh {
    static constexpr int most_axes = 8;
    word names[most_axes];
    index_t sizes[most_axes]{};
    int axes = 0;
    bool ordered = true;  // device_ids are 0, 1, 2 ...
    index_t device_ids[ints_table::capacity]{};
    int device_count = 0;
  };

  // `#stablehlo.replica_group_mesh_axes<mesh = ..., axes = [...]>`. Where the mesh is not to be seen, the groups stay
  // undecided.
  constexpr bool read_mesh_axes(ints_table& field) {
    const int start = at++;
    read_name();
    const int first = state.attributes.size;
    if (!expect('<', "< is expected") || !read_dictionary('>', false)) return false;
    int mesh_position = -1, axes_position = -1;
    for (int i = first; i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (is(entry.name, "mesh")) mesh_position = entry.position;
      if (is(entry.name, "axes")) axes_position = entry.position;
    }
    state.attributes.size = first;
    if (mesh_position < 0 || axes_position < 0)
      return fail("attribute", "a mesh and the axes of groups are expected", start);
    const int after = at;
    at = mesh_position;
    mesh grid;
    bool known = false;
    if (!find_mesh(grid, known)) return false;
    at = axes_position;
    if (!read_groups(grid, known, field)) return false;
    at = after;
    return true;
  }
  // `#stablehlo.mesh<...>`, or the name of a mesh.
  constexpr bool find_mesh(mesh& grid, bool& known) {
    if (!follow_aliases()) return false;
    if (peek() == '#') {
      ++at;
      read_name();
      known = true;
      return expect('<', "< is expected") && read_mesh_attribute(grid);
    }
    const int start = at;
    word name;
    if (!read_symbol(name)) return false;
    state.symbols.push({0, start, name});
    for (const alias& each : state.aliases) {
      if (each.kind != alias::what::mesh || !same(each.text, name)) continue;
      at = each.position;
      known = true;
      return read_mesh_definition(grid);
    }
    return true;
  }
  constexpr bool read_symbol(word& name) {
    if (!expect('@', "a name is expected, such as @mesh")) return false;
    if (peek() == '"') return read_quoted(name);
    name = read_name();
    return name.size > 0 || fail("syntax", "a name is expected after @");
  }
  // `<["x"=2, "y"=4], device_ids=[...]>`.
  constexpr bool read_mesh_definition(mesh& grid) {
    if (!expect('<', "< is expected") || !expect('[', "[ is expected")) return false;
    if (!accept(']')) {
      do {
        word name;
        index_t extent = 0;
        if (!read_quoted(name) || !expect('=', "= is expected") || !read_natural(extent) ||
            !add_axis(grid, name, extent))
          return false;
      } while (accept(','));
      if (!expect(']', "] is expected")) return false;
    }
    if (accept(',')) {
      if (!accept("device_ids") || !expect('=', "= is expected") || !read_device_ids(grid))
        return fail("syntax", "device_ids = [...] is expected");
    }
    return expect('>', "> is expected");
  }
  // `axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<...>>`.
  constexpr bool read_mesh_attribute(mesh& grid) {
    while (!accept('>')) {
      const word name = read_word();
      if (!expect('=', "= is expected")) return false;
      if (is(name, "axes")) {
        if (!read_references(
                [&](const word& axis, index_t extent, index_t, index_t) { return add_axis(grid, axis, extent); }))
          return false;
      } else if (is(name, "device_ids")) {
        if (!read_device_ids(grid)) return false;
      } else {
        return fail("attribute", "a mesh has axes and device_ids", name.first);
      }
      if (!accept(',') && peek() != '>') return fail("syntax", ", or > is expected");
    }
    return true;
  }
  constexpr bool add_axis(mesh& grid, const word& name, index_t extent) {
    if (grid.axes == mesh::most_axes) return fail("too_large", "a mesh has at most 8 axes", name.first);
    if (extent < 1) return fail("attribute", "the axes of a mesh have positive sizes", name.first);
    if (extent > ints_table::capacity) return fail("too_large", "the mesh has more than 64 processes", name.first);
    for (int i = 0; i < grid.axes; ++i)
      if (same(grid.names[i], name)) return fail("attribute", "the mesh has two axes of that name", name.first);
    grid.names[grid.axes] = name;
    grid.sizes[grid.axes++] = extent;
    return true;
  }
  constexpr bool read_device_ids(mesh& grid) {
    grid.ordered = false;
    return read_integers([&](index_t value, index_t) {
      if (grid.device_count < ints_table::capacity) grid.device_ids[grid.device_count] = value;
      ++grid.device_count;
    });
  }
  // `[#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>, ...]`, and likewise `mesh_axis<name = "x", size = 2>`.
  // take(name, size, what comes before the part of an axis, its size; -1: not given)
  template <class Take>
  constexpr bool read_references(Take take) {
    if (!expect('[', "[ is expected")) return false;
    if (accept(']')) return true;
    do {
      word name;
      index_t extent = -1, before = -1, part = -1;
      if (!follow_aliases()) return false;
      const int start = at;
      if (accept('#')) read_name();
      if (!expect('<', "< is expected before the name of an axis")) return false;
      while (!accept('>')) {
        const word key = read_word();
        if (!expect('=', "= is expected")) return false;
        if (is(key, "name")) {
          if (!read_quoted(name)) return false;
        } else if (is(key, "size")) {
          if (!read_integer(extent)) return false;
        } else if (is(key, "sub_axis_info")) {
          if (!expect('(', "( is expected") || !read_natural(before) || !expect(')', ") is expected") ||
              !read_natural(part))
            return false;
        } else {
          return fail("attribute", "an axis has a name and a size", key.first);
        }
        if (!accept(',') && peek() != '>') return fail("syntax", ", or > is expected");
      }
      if (name.size == 0) return fail("attribute", "an axis has a name", start);
      if (!take(name, extent, before, part)) return false;
    } while (accept(','));
    return expect(']', "] is expected");
  }
  // The processes that differ in the named axes only are a group; the last of these axes goes round fastest.
  constexpr bool read_groups(const mesh& grid, bool known, ints_table& field) {
    const int start = at;
    struct digit {
      index_t stride = 1, size = 1;
    };
    digit digits[mesh::most_axes];
    int count = 0;
    index_t columns = 1, total = 1;
    for (int i = 0; i < grid.axes; ++i)
      if ((total *= grid.sizes[i]) > ints_table::capacity)
        return fail("too_large", "the mesh has more than 64 processes", start);
    const auto take = [&](const word& name, index_t, index_t before, index_t part) {
      if (!known) return true;
      index_t stride = total;
      for (int i = 0; i < grid.axes; ++i) {
        stride /= grid.sizes[i];
        if (!same(grid.names[i], name)) continue;
        if (before < 0) before = 1, part = grid.sizes[i];
        if (before < 1 || part < 1 || before > grid.sizes[i] || part > grid.sizes[i] ||
            grid.sizes[i] % (before * part) != 0)
          return fail("attribute", "the axis has no such part", name.first);
        if (count == mesh::most_axes) return fail("too_large", "groups have at most 8 axes", name.first);
        digits[count++] = {stride * (grid.sizes[i] / (before * part)), part};
        columns *= part;
        return true;
      }
      return fail("attribute", "the mesh has no axis of that name", name.first);
    };
    if (!read_references(take)) return false;
    if (!known) return true;
    if (total % columns != 0) return fail("attribute", "an axis is named twice", start);
    if (!grid.ordered && grid.device_count != total)
      return fail("attribute", "the mesh has another number of device_ids than of processes", start);
    index_t row_of[ints_table::capacity]{};
    bool taken[ints_table::capacity]{};
    index_t rows = 0;
    for (index_t process = 0; process < total; ++process) {
      index_t base = process, position = 0;
      for (int i = 0; i < count; ++i) {
        const index_t value = process / digits[i].stride % digits[i].size;
        base -= value * digits[i].stride;
        position = position * digits[i].size + value;
      }
      if (base < 0) return fail("attribute", "an axis is named twice", start);
      if (position == 0) row_of[base] = rows++;
      const index_t cell = row_of[base] * columns + position;
      if (cell >= total || taken[cell]) return fail("attribute", "an axis is named twice", start);
      taken[cell] = true;
      field.at[cell] = grid.ordered ? process : grid.device_ids[process];
    }
    field.rows = int(rows);
    field.columns = int(columns);
    return true;
  }

  constexpr bool read_integer_or_boolean(index_t& value) {
    if (accept("true")) return value = 1, true;
    if (accept("false")) return value = 0, true;
    return read_integer(value);
  }

  constexpr bool read_value(bool& field) {
    if (!follow_aliases()) return false;
    if (accept("unit")) return field = true, true;
    index_t value = 0;
    if (!read_integer_or_boolean(value)) return false;
    field = value != 0;
    return true;
  }
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  constexpr bool read_value(T& field) {
    if (!follow_aliases()) return false;
    const int start = at;
    index_t value = 0;
    if (!read_integer_or_boolean(value)) return false;
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
  constexpr bool read_window_numbers(text::detail::window_numbers& numbers) {
    return read_window_side(numbers, 0, 'b', 'f') && accept_or("x", "x is expected between window numbers") &&
           read_window_side(numbers, 3, 'i', 'o') &&
           (accept_arrow() || fail("syntax", "-> is expected between window numbers")) &&
           read_window_side(numbers, 6, 'b', 'f');
  }
  constexpr bool accept_or(const keyword& wanted, const char* sentence) {
    if (peek() == wanted.characters[0]) {
      ++at;
      return true;
    }
    return fail("syntax", sentence);
  }
  constexpr bool read_window_side(text::detail::window_numbers& numbers, int part, char first, char second) {
    if (!expect('[', "[ is expected, as in [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]")) return false;
    const int start = at;
    index_t axis_of[max_rank];
    int axis = 0, spatial = 0;
    for (int i = 0; i < max_rank; ++i) axis_of[i] = -1;
    if (!accept(']')) {
      do {
        const char c = peek();
        if (c == first || c == second) {
          ints& where = numbers.part[part + (c == first ? 0 : 1)];
          if (!where.empty()) return fail("syntax", "the dimension is given twice");
          where.push(axis);
          ++at;
        } else if (c == '?') {
          ++at;
        } else {
          index_t which = 0;
          if (!read_natural(which)) return false;
          if (which >= max_rank || axis_of[which] >= 0) return fail("syntax", "the dimension is given twice");
          axis_of[which] = axis;
          ++spatial;
        }
        ++axis;
      } while (accept(','));
      if (!expect(']', "] is expected")) return false;
    }
    for (int i = 0; i < spatial; ++i) {
      if (axis_of[i] < 0) return fail("syntax", "spatial dimensions are numbered from 0", start);
      numbers.part[part + 2].push(axis_of[i]);
    }
    if (numbers.part[part].empty() || numbers.part[part + 1].empty())
      return fail("syntax", "a dimension is missing among the window numbers", start);
    return true;
  }
};

}  // namespace tenon::text
