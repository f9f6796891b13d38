// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/all.hpp>
#include <tenon/text/mlir/attribute_fields.hpp>
#include <tenon/text/mlir/writer.hpp>

#include <type_traits>

namespace tenon::text::mlir {

constexpr bool is_any(op_notation notation, auto... wanted) { return ((notation == wanted) || ...); }

// The text's name of an enumeration or a group, by the name of the field that holds it.
struct attribute_name {
  std::string_view field, text;
};
inline constexpr attribute_name attribute_names[] = {{"compare_type", "comparison_type"},
                                                     {"precision_config", "precision"},
                                                     {"transpose_a", "transpose"},
                                                     {"mode", "result_accuracy_mode"},
                                                     {"dot_dimension_numbers", "dot"},
                                                     {"ragged_dot_dimension_numbers", "ragged_dot"},
                                                     {"scatter_dimension_numbers", "scatter"},
                                                     {"dimension_numbers", "gather"},
                                                     {"algorithm", "dot_algorithm"},
                                                     {"output_operand_aliases", "output_operand_alias"}};

// Writes the attributes of an op, in the form that names each.
class attribute_writer : public writer {
 public:
  using writer::writer;

 protected:
  int result_ = 0;  // of the op that is being written
  std::string_view dialect_ = "stablehlo";

  static constexpr std::string_view text_name(std::string_view field) {
    for (const attribute_name& known : attribute_names)
      if (known.field == field) return known.text;
    return field;
  }

  // Whether an attribute may be left out: it says nothing.
  template <class T>
  static constexpr bool is_absent(const T& field) {
    if constexpr (std::is_same_v<T, name_id> || std::is_same_v<T, literal_id> || std::is_same_v<T, opaque_attribute>)
      return field.id < 0;
    else if constexpr (std::is_same_v<T, ints_table> || std::is_same_v<T, id_table>)
      return field.rows == 0 && field.columns == 0;
    else if constexpr (requires { field.empty(); })
      return field.empty();
    else
      return false;
  }
  template <class Op, class T>
  static constexpr bool is_omitted(std::string_view name, const T& field) {
    if constexpr (std::is_same_v<Op, ops::compare>) return name == "compare_type" && int(field) == 0;
    if constexpr (std::is_same_v<Op, ops::scan> && std::is_same_v<T, index_t>) return field == Op::absent;
    if constexpr (std::is_same_v<T, bool>) {
      if (is_unit(name) && !field) return true;
    }
    if constexpr (std::is_same_v<T, tenon::result_accuracy> || std::is_same_v<T, dot_algorithm>) return field == T{};
    if (name == "channel_id" || name == "channel_type") return true;
    // An absent list stands for a default where the op needs none.
    return is_absent(field) && !is_required(key_of(Op::name), key_of(name));
  }
  static constexpr bool is_unit(std::string_view name) {
    return name == "use_global_device_ids" || name == "has_dynamic_root";
  }

  template <class Op>
  void print_attributes(const Op& op, std::string_view open, std::string_view close) {
    bool first = true;
    const auto separate = [&] {
      put(first ? open : std::string_view(", "));
      first = false;
    };
    for_each_attribute(op, [&](std::string_view field_name, const auto& field) {
      if (field_name.back() == '_') field_name.remove_suffix(1);
      if (is_omitted<Op>(field_name, field)) return;
      separate();
      put(field_name);
      if (is_unit(field_name)) return;
      put(" = ");
      print_field(field_name, field);
    });
    if constexpr (requires { op.channel_id; }) {
      index_t type = op.channel_id > 0 ? 1 : 0;
      if constexpr (requires { op.channel_type; }) type = index_t(op.channel_type);
      if (op.channel_id != 0 || type != 0) {
        separate();
        put("channel_handle = #stablehlo.channel_handle<handle = "), put_number(op.channel_id);
        put(", type = "), put_number(type), put(">");
      }
    }
    if (!first) put(close);
  }

  template <class T>
  void print_field(std::string_view field_name, const T& field) {
    if constexpr (std::is_same_v<T, ints>) {
      const bool flags = field_name == "window_reversal";
      const bool segments = field_name.ends_with("SegmentSizes");
      put(flags ? "array<i1" : segments ? "array<i32" : "array<i64");
      for (int i = 0; i < field.size; ++i) {
        put(i == 0 ? ": " : ", ");
        if (flags)
          put(field[i] != 0 ? "true" : "false");
        else
          put_number(field[i]);
      }
      put(">");
    } else if constexpr (std::is_same_v<T, ints_table> || std::is_same_v<T, id_table>) {
      put("dense<");
      if (field.rows > 0 && field.columns > 0) print_table(field);
      put("> : tensor<"), put_number(field.rows), put("x"), put_number(field.columns), put("xi64>");
    } else if constexpr (tenon::core::is_short_list<T>) {
      put("[");
      put_list(field.size, [&](auto i) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field[i])>, ints>)
          print_layout(field[i]);
        else
          print_field(field_name, field[i]);
      });
      put("]");
    } else if constexpr (std::is_same_v<T, bool>) {
      put(field ? "true" : "false");
    } else if constexpr (std::is_enum_v<T>) {
      print_enum(field_name, field);
    } else if constexpr (std::is_same_v<T, name_id>) {
      if (field_name == "callee" || field_name == "decomposition" || field_name == "called_computations")
        put_symbol(g.name_of(field.id));
      else
        put_string(g.name_of(field.id));
    } else if constexpr (std::is_same_v<T, opaque_attribute>) {
      put(g.name_of(field.id));
    } else if constexpr (std::is_floating_point_v<T>) {
      put_number(double(field));
      if (field_name == "epsilon") put(" : f32");
    } else if constexpr (std::is_integral_v<T>) {
      put_number(index_t(field));
      if (field_name != "index_vector_dim" && field_name != "operand_index") put(sizeof(T) == 4 ? " : i32" : " : i64");
    } else if constexpr (std::is_same_v<T, literal_id>) {
      print_literal(field, g.type_of_value(result_)), put(" : "), print_type(g.type_of_value(result_));
    } else {
      print_group(field_name, field);
    }
  }
  template <class T>
  void print_enum(std::string_view field_name, T field) {
    if constexpr (std::is_same_v<T, dtype>) {
      put(name(field));
    } else if (field_name == "mode") {
      put("#stablehlo.result_accuracy_mode<"), put(enumerators<T>[int(field)]), put(">");
    } else {
      put("#"), put(dialect_), put("<"), put(text_name(field_name)), put(" "), put(enumerators<T>[int(field)]),
          put(">");
    }
  }
  void print_table(const auto& field) {
    put("[");
    for (int row = 0; row < field.rows; ++row) {
      put(row > 0 ? ", [" : "[");
      put_list(field.columns, [&](auto column) { put_number(field(row, column)); });
      put("]");
    }
    put("]");
  }
  void print_layout(const ints& field) {
    put("dense<");
    if (!field.empty()) print_list(field);
    put("> : tensor<"), put_number(field.size), put("xindex>");
  }
  void print_list(const ints& values) {
    put("[");
    put_list(values.size, [&](auto i) { put_number(values[i]); });
    put("]");
  }
  template <class T>
  void print_group(std::string_view field_name, const T& field) {
    if constexpr (std::is_same_v<T, convolution_dimension_numbers>) {
      put("#stablehlo.conv<"), print_window_numbers(field), put(">");
      return;
    }
    put("#"), put(dialect_), put("."), put(text_name(field_name)), put("<");
    print_group_fields(field);
    put(">");
  }
  template <class T>
  void print_group_fields(const T& field) {
    bool first = true;
    for_each_attribute(field, [&](std::string_view inner_name, const auto& inner) {
      using inner_type = std::remove_cvref_t<decltype(inner)>;
      if (std::is_same_v<T, tenon::output_operand_alias> ? false : is_absent(inner)) return;
      if (!first) put(", ");
      first = false;
      put(inner_name), put(" = ");
      if constexpr (std::is_same_v<inner_type, ints>)
        print_list(inner);
      else if constexpr (std::is_integral_v<inner_type> && !std::is_same_v<inner_type, bool>)
        put_number(inner);
      else
        print_field(inner_name, inner);
    });
  }

  // [b, 0, 1, f]
  void print_window_side(index_t first, index_t second, const ints& spatial, std::string_view names) {
    put("[");
    put_list(spatial.size + 2, [&](auto axis) {
      if (axis == first)
        put(names.substr(0, 1));
      else if (axis == second)
        put(names.substr(1, 1));
      else
        put_number(spatial.find(axis));
    });
    put("]");
  }
  void print_window_numbers(const convolution_dimension_numbers& n) {
    print_window_side(n.input_batch_dimension, n.input_feature_dimension, n.input_spatial_dimensions, "bf");
    put("x");
    print_window_side(n.kernel_input_feature_dimension, n.kernel_output_feature_dimension, n.kernel_spatial_dimensions,
                      "io");
    put("->");
    print_window_side(n.output_batch_dimension, n.output_feature_dimension, n.output_spatial_dimensions, "bf");
  }
};

}  // namespace tenon::text::mlir
