// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/known_ops.hpp>
#include <tenon/text/mlir/attribute_writer.hpp>
#include <tenon/text/parse_options.hpp>

#include <string_view>

namespace tenon {

// How ops are written: as MLIR writes any op, or in the notation that StableHLO has for each.
enum class text_form { generic, own };

}  // namespace tenon

namespace tenon::text::mlir {

class printer;

template <class Op>
void print_op(printer& to, const graph_node& node);

// Writes functions, regions and ops, each in its own notation or in the one that all share.
class printer : public attribute_writer {
 public:
  printer(const graph& program, sink out, text_form form) : attribute_writer(program, out), form_(form) {}

  void print_program() {
    for (const graph_function& function : g.functions) print_function(function);
  }

  template <class Op>
  void print_known(const graph_node& node) {
    const Op op = read_attributes<Op>(g.words.data + node.words);
    result_ = node.results;
    dialect_ = dialect_of_op<Op>();
    if (form_ == text_form::own && print_own(op, node)) return;
    put("\""), put(dialect_of_op<Op>()), put("."), put(Op::name), put("\"(");
    print_operands(node);
    put(")");
    print_attributes(op, " <{", "}>");
    print_regions(node);
    put(" : ");
    print_function_type(node);
  }

 private:
  text_form form_;

  void print_function(const graph_function& function) {
    put("func.func "), put(function.is_public ? "public " : "private ");
    put_symbol(g.name_of(function.name));
    if (function.region < 0) return print_declaration(function);
    const graph_region& body = g.regions.data[function.region];
    base_value_ = body.arguments;
    base_node_ = body.first;
    put("(");
    put_list(body.argument_count, [&](auto i) {
      print_value(body.arguments + i), put(": "), print_type(g.type_of_value(body.arguments + i));
    });
    put(")");
    const list<int> results = g.yields_of(body);
    if (!results.empty()) {
      put(" -> (");
      print_type_list(results.size, [&](int i) { return g.type_of_value(results[i]); });
      put(")");
    }
    put(" {");
    print_body(function.region, "return");
    put("}\n");
  }

  void print_declaration(const graph_function& function) {
    const auto print_members = [&](int tuple) {
      const list<tensor_type> members = g.members_of(g.types.data[tuple]);
      put("("), print_type_list(members.size, [&](int i) { return members[i]; }), put(")");
    };
    print_members(function.takes);
    put(" -> ");
    print_members(function.gives);
    put("\n");
  }

  // Prints the ops of a region and its return.
  void print_body(int number, std::string_view return_op) {
    const graph_region& region = g.regions.data[number];
    ++depth_;
    for (int i = region.first; i < region.last; ++i)
      if (g.nodes.data[i].region == number) print_node(i);
    start_line();
    put(return_op);
    const list<int> yields = g.yields_of(region);
    if (!yields.empty()) {
      put(" "), print_values(yields), put(" : ");
      print_type_list(yields.size, [&](int i) { return g.type_of_value(yields[i]); });
    }
    --depth_;
    start_line();
  }
  void print_regions(const graph_node& node) {
    if (node.region_count == 0) return;
    put(" (");
    for (int i = 0; i < node.region_count; ++i) {
      const int number = g.regions_of(node)[i];
      const graph_region& region = g.regions.data[number];
      put(i > 0 ? ", {" : "{");
      if (region.argument_count > 0) {
        start_line();
        put("^bb0(");
        print_region_arguments(region);
        put("):");
      }
      print_body(number, "stablehlo.return");
      put("}");
    }
    put(")");
  }
  void print_region_arguments(const graph_region& region) {
    put_list(region.argument_count, [&](auto a) { print_argument(region.arguments + a); });
  }
  void print_argument(int value) { print_value(value), put(": "), print_type(g.type_of_value(value)); }

  void print_node(int number) {
    const graph_node& node = g.nodes.data[number];
    start_line();
    if (node.result_count > 0) {
      put("%"), put_number(number - base_node_);
      if (node.result_count > 1) put(":"), put_number(node.result_count);
      put(" = ");
    }
    if (is_foreign(node)) return print_foreign(node);
    print_by_kind(node, ops::all{});
  }
  template <class... Ops>
  void print_by_kind(const graph_node& node, op_list<Ops...>) {
    static constexpr void (*functions[])(printer&, const graph_node&) = {&print_op<Ops>...};
    functions[node.kind](*this, node);
  }

  void print_foreign(const graph_node& node) {
    const auto first = std::size_t(g.words.data[node.words]), size = std::size_t(g.words.data[node.words + 1]);
    const std::string_view attributes = g.text.substr(first, size);
    if (size == 0 || g.text[first - 1] == '{') {
      put_string(name_of_foreign(g, node)), put("("), print_operands(node), put(")");
      if (size != 0) put(" <{"), put(attributes), put("}>");
      print_regions(node), put(" : "), print_function_type(node);
    } else {
      put(name_of_foreign(g, node)), put(" "), print_operands(node), put(attributes), put(" : ");
      if (node.operand_count == 0) return print_function_type(node);
      print_type_list(node.operand_count, [&](int i) { return type_of_operand(node, i); });
      if (node.result_count > 0) put(" -> "), print_result_types(node);
    }
  }

  // False if the op has none, or none for these attributes.
  template <class Op>
  bool print_own(const Op& op, const graph_node& node) {
    constexpr op_notation notation = notation_of_op<Op>();
    if constexpr (notation == op_notation::scan) return print_scan(op, node);
    if constexpr (notation == op_notation::reduce) return print_reduce(op, node);
    if constexpr (notation == op_notation::while_) return print_while(node);
    if constexpr (is_any(notation, op_notation::typed_operands, op_notation::top_k)) return print_of_chlo(op, node);
    if constexpr (is_any(notation, op_notation::operands, op_notation::select, op_notation::complex, op_notation::tuple,
                         op_notation::optimization_barrier)) {
      print_head(Op::name, node);
      print_attributes(op, " {", "}");
      return print_own_types<Op>(node), true;
    }
    if constexpr (notation == op_notation::attributes) {
      print_listed(op, node);
    } else if constexpr (notation == op_notation::compare) {
      put("stablehlo.compare "), put(enumerators<comparison_direction>[int(op.comparison_direction)]), put(", ");
      print_operands(node);
      if (op.compare_type != comparison_type::NOTYPE)
        put(", "), put(enumerators<comparison_type>[int(op.compare_type)]);
    } else if constexpr (notation == op_notation::constant) {
      put("stablehlo.constant "), print_literal(op.value, g.type_of_value(node.results));
    } else if constexpr (notation == op_notation::slice) {
      print_head(Op::name, node), put(" [");
      put_list(op.start_indices.size, [&](auto i) {
        put_number(op.start_indices[i]), put(":"), put_number(op.limit_indices[i]);
        if (!op.strides.empty() && op.strides[i] != 1) put(":"), put_number(op.strides[i]);
      });
      put("]");
    } else if constexpr (notation == op_notation::get_tuple_element) {
      print_head(Op::name, node), put("["), put_number(op.index), put("]");
    } else if constexpr (notation == op_notation::reduce_precision) {
      print_head(Op::name, node), put(", format = e"), put_number(op.exponent_bits);
      put("m"), put_number(op.mantissa_bits);
    } else if constexpr (notation == op_notation::dot_general) {
      print_dot(op, node);
    } else if constexpr (notation == op_notation::convolution) {
      print_convolution(op, node);
    } else if constexpr (notation == op_notation::call) {
      put("call "), put_symbol(g.name_of(op.callee.id)), put("("), print_operands(node), put(")");
    } else if constexpr (notation == op_notation::custom_call) {
      put("stablehlo.custom_call "), put_symbol(g.name_of(op.call_target_name.id));
      put("("), print_operands(node), put(")");
      auto rest = op;
      rest.call_target_name = {};
      print_attributes_but(rest, "call_target_name");
    } else {
      return false;
    }
    put(" : ");
    constexpr bool may_be_short = is_any(notation, op_notation::attributes, op_notation::constant);
    may_be_short&& node.operand_count == 0 ? print_result_types(node) : print_function_type(node);
    return true;
  }

  // `chlo.next_after %0, %1 : T, T -> T`, `chlo.top_k(%0, k = 2) : T -> (T, U)`
  template <class Op>
  bool print_of_chlo(const Op& op, const graph_node& node) {
    put("chlo."), put(Op::name);
    put(notation_of_op<Op>() == op_notation::top_k ? "(" : " "), print_operands(node);
    for_each_attribute(op, [&]<class Field>(std::string_view field_name, const Field& field) {
      // Flags are true where they are absent.
      if constexpr (std::is_same_v<Field, bool>)
        if (field) return;
      put(", "), put(field_name), put(" = ");
      print_bare(field);
    });
    put(notation_of_op<Op>() == op_notation::top_k ? ") : " : " : ");
    print_type_list(node.operand_count, [&](int i) { return type_of_operand(node, i); });
    put(" -> "), print_result_types(node);
    return true;
  }

  void print_head(std::string_view op_name, const graph_node& node) {
    put("stablehlo."), put(op_name);
    if (node.operand_count > 0) put(" "), print_operands(node);
  }

  template <class Op>
  void print_own_types(const graph_node& node) {
    constexpr op_notation notation = notation_of_op<Op>();
    if constexpr (notation == op_notation::optimization_barrier) {
      if (node.operand_count == 0) return put(" ()");
      put(" : ");
      return print_type_list(node.operand_count, [&](int i) { return type_of_operand(node, i); });
    }
    put(" : ");
    const tensor_type& result = g.type_of_value(node.results);
    if constexpr (notation == op_notation::tuple) return print_type(result);
    if constexpr (notation == op_notation::complex) {
      tensor_type part = result;
      part.element = real_type(result.element);
      if (type_of_operand(node, 0) == part && type_of_operand(node, 1) == part) return print_type(result);
    }
    if constexpr (notation == op_notation::select) {
      if (type_of_operand(node, 1) == result && type_of_operand(node, 2) == result) {
        print_type(type_of_operand(node, 0)), put(", ");
        return print_type(result);
      }
    }
    // Ops that move bytes state both types, equal or not.
    bool same = !requires { Op::moves_bytes; };
    for (int i = 0; i < node.operand_count; ++i) same = same && type_of_operand(node, i) == result;
    same ? print_type(result) : print_function_type(node);
  }

  template <class Op>
  void print_listed(const Op& op, const graph_node& node) {
    print_head(Op::name, node);
    bool first = node.operand_count == 0;
    for_each_attribute(op, [&](std::string_view field_name, const auto& field) {
      if (is_omitted<Op>(field_name, field)) return;
      put(first ? " " : ", ");
      first = false;
      std::string_view own_name = field_name;
      for (const short_name& known : short_names)
        if (known.field.key == key_of(field_name)) own_name = {known.text.characters, std::size_t(known.text.size)};
      put(own_name), put(" = ");
      print_bare(field);
    });
  }
  template <class T>
  void print_bare(const T& field) {
    if constexpr (std::is_same_v<T, ints>)
      print_list(field);
    else if constexpr (tenon::core::is_short_list<T>)
      print_bare_list(field);
    else if constexpr (std::is_same_v<T, name_id>)
      put_string(g.name_of(field.id));
    else if constexpr (std::is_enum_v<T>)
      put(enumerators<T>[int(field)]);
    else if constexpr (std::is_same_v<T, bool>)
      put(field ? "true" : "false");
    else
      put_number(index_t(field));
  }
  template <class List>
  void print_bare_list(const List& values) {
    put("[");
    put_list(values.size, [&](auto i) { print_bare(values[i]); });
    put("]");
  }
  template <class Op>
  void print_attributes_but(const Op& op, std::string_view left_out, std::string_view open = " {") {
    const Op absent{};
    bool first = true;
    for_each_attribute(op, [&](std::string_view field_name, const auto& field) {
      bool is_default = is_omitted<Op>(field_name, field);
      for_each_attribute(absent, [&](std::string_view other, const auto& value) {
        if constexpr (std::is_same_v<decltype(value), decltype(field)>)
          is_default = is_default || (other == field_name && value == field);
      });
      // Layouts are stated of operands and results, or of neither.
      if constexpr (requires { op.operand_layouts; })
        if (op.operand_layouts.empty() != op.result_layouts.empty() && field_name.ends_with("_layouts"))
          is_default = false;
      if (field_name == left_out || is_default) return;
      put(first ? open : std::string_view(", "));
      first = false;
      put(field_name), put(" = ");
      print_field(field_name, field);
    });
    if (!first) put("}");
  }

  void print_dot(const ops::dot_general& op, const graph_node& node) {
    const dot_dimension_numbers& n = op.dot_dimension_numbers;
    print_head(ops::dot_general::name, node);
    if (!n.lhs_batching_dimensions.empty()) {
      put(", batching_dims = "), print_list(n.lhs_batching_dimensions);
      put(" x "), print_list(n.rhs_batching_dimensions);
    }
    put(", contracting_dims = "), print_list(n.lhs_contracting_dimensions);
    put(" x "), print_list(n.rhs_contracting_dimensions);
    if (!op.precision_config.empty()) put(", precision = "), print_bare(op.precision_config);
    if (!(op.algorithm == dot_algorithm{})) {
      put(", algorithm = <");
      print_group_fields(op.algorithm);
      put(">");
    }
  }

  void print_convolution(const ops::convolution& op, const graph_node& node) {
    put("stablehlo.convolution("), print_operands(node), put(") dim_numbers = ");
    print_window_numbers(op.dimension_numbers);
    put(", window = {");
    bool first = true;
    const auto part = [&](std::string_view part_name, const auto& field) {
      if (field.empty()) return;
      if (!first) put(", ");
      first = false;
      put(part_name), put(" = ");
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, ints_table>)
        print_table(field);
      else
        print_list(field);
    };
    part("stride", op.window_strides), part("pad", op.padding), part("lhs_dilate", op.lhs_dilation);
    part("rhs_dilate", op.rhs_dilation), part("reverse", op.window_reversal);
    put("} {batch_group_count = "), put_number(op.batch_group_count);
    put(" : i64, feature_group_count = "), put_number(op.feature_group_count), put(" : i64");
    if (!op.precision_config.empty())
      put(", precision_config = "), print_field("precision_config", op.precision_config);
    put("}");
  }

  bool print_while(const graph_node& node) {
    if (renamed_count_ == most_renamed) return false;
    const int condition = g.regions_of(node)[0], body = g.regions_of(node)[1];
    const int first = g.regions.data[condition].arguments;
    put("stablehlo.while(");
    put_list(node.operand_count, [&](auto i) { print_value(first + i), put(" = "), print_value(operand(node, i)); });
    put(")");
    if (node.operand_count > 0) {
      put(" : ");
      print_type_list(node.operand_count, [&](int i) { return type_of_operand(node, i); });
    }
    start_line();
    put("cond {");
    print_body(condition, "stablehlo.return");
    put("} do {");
    renamed_[renamed_count_++] = {body, first - g.regions.data[body].arguments};
    print_body(body, "stablehlo.return");
    --renamed_count_;
    put("}");
    return true;
  }

  bool print_scan(const ops::scan& op, const graph_node& node) {
    const int inputs = int(op.operand_segment_sizes[0]), number = g.regions_of(node)[0];
    put("chlo.scan(");
    for (int i = 0; i < node.operand_count; ++i) {
      if (i == inputs) put(") inits (");
      if (i > 0 && i != inputs) put(", ");
      print_value(operand(node, i));
    }
    if (inputs == node.operand_count) put(") inits (");
    put(") dimension = "), put_number(op.dimension);
    auto rest = op;
    rest.dimension = 0, rest.operand_segment_sizes = rest.result_segment_sizes = {};
    print_attributes_but(rest, "dimension", " attributes {");
    put(" {");
    start_line();
    put("^bb0("), print_region_arguments(g.regions.data[number]), put("):");
    print_body(number, "stablehlo.return");
    put("} : "), print_function_type(node);
    return true;
  }

  // The op of StableHLO that is all of the body of a reduce of one input; empty if there is more to it.
  std::string_view op_applied(const graph_region& body, const tensor_type& input) const {
    if (body.last != body.first + 1 || body.argument_count != 2 || body.yield_count != 1) return {};
    const graph_node& node = g.nodes.data[body.first];
    if (node.kind < 0 || node.operand_count != 2 || node.word_count != 0 || node.region_count != 0) return {};
    const bool plain = operand(node, 0) == body.arguments && operand(node, 1) == body.arguments + 1 &&
                       g.yields_of(body)[0] == node.results &&
                       g.type_of_value(body.arguments) == input.with_shape({}) &&
                       g.type_of_value(body.arguments + 1) == input.with_shape({}) &&
                       g.type_of_value(node.results) == input.with_shape({});
    return plain && known_ops<op_set{}>.ops[node.kind].dialect == "stablehlo" ? known_ops<op_set{}>.ops[node.kind].name
                                                                              : std::string_view{};
  }
  bool print_reduce(const ops::reduce& op, const graph_node& node) {
    const int inputs = node.operand_count / 2;
    put("stablehlo.reduce");
    for (int i = 0; i < inputs; ++i) {
      put(i > 0 ? ", (" : "("), print_value(operand(node, i)), put(" init: ");
      print_value(operand(node, inputs + i)), put(")");
    }
    const int number = g.regions_of(node)[0];
    const graph_region& body = g.regions.data[number];
    const std::string_view applied = op_applied(body, type_of_operand(node, 0));
    if (!applied.empty()) put(" applies stablehlo."), put(applied);
    put(" across dimensions = "), print_list(op.dimensions), put(" : "), print_function_type(node);
    if (!applied.empty()) return true;
    start_line();
    put(" reducer");
    for (int i = 0; i < inputs; ++i) {
      put(i > 0 ? " (" : "("), print_argument(body.arguments + i), put(", ");
      print_argument(body.arguments + inputs + i), put(")");
    }
    put(" {");
    print_body(number, "stablehlo.return");
    put("}");
    return true;
  }
};

template <class Op>
void print_op(printer& to, const graph_node& node) {
  to.print_known<Op>(node);
}

}  // namespace tenon::text::mlir
