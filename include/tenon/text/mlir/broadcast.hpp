// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/attributes.hpp>
#include <tenon/text/op_checker.hpp>

namespace tenon::text::mlir {

// Reads the ops of CHLO that spread their operands over the shape of the result (`chlo.broadcast_add`): each becomes
// broadcast_in_dim for the operands of another shape, and the op itself.
class broadcast_reader : public reader_part {
 public:
  constexpr broadcast_reader(attribute_reader& of_attributes, op_checker& of_ops)
      : reader_part(of_attributes), attributes(of_attributes), checker(of_ops) {}

  constexpr bool is_broadcast(const word& name) const { return in.same_characters(name.first, "chlo.broadcast_", 15); }

  constexpr bool spread_operands(op_parts& parts) {
    ints dimensions;
    // The op that follows does not have them.
    if (!attributes.read_field({"broadcast_dimensions", 20, key_of("broadcast_dimensions")}, dimensions,
                               parts.attributes))
      return false;
    if (parts.result_count != 1) return in.fail("results", "the op has one result", parts.name);
    const int result = g.values.data[parts.results].type;
    const tensor_type type = g.types.data[result];
    if (has_open_sizes(type))
      return in.fail("not_supported", "this op of CHLO is not supported where sizes are open", parts.name);
    if (!check_shapes(parts, type, dimensions)) return false;
    // The values of the ops in between stand before those of the op.
    g.values.size = parts.results;
    for (int i = 0; i < parts.operand_count; ++i) {
      const int operand = g.operands.data[parts.operands + i];
      const tensor_type from = g.type_of_value(operand);
      if (from.shape == type.shape) continue;
      tensor_type wide = from.with_shape(type.shape);
      wide.bounded = type.bounded;
      const int spread = build.intern(wide);
      const ops::broadcast_in_dim link{places(from.shape, type.shape, dimensions)};
      int value = 0;
      if (!checker.add_node(link, {&operand, 1}, {&spread, 1}, build.enclosing_region(), parts.name, value))
        return false;
      if (build.full()) return true;
      g.operands.data[parts.operands + i] = value;
    }
    build.renew_result(parts, result);
    return true;
  }

  // `chlo.constant_like`, whose attribute `value` is a number with its type: a constant without dimensions, spread over
  // the shape of the operand.
  constexpr bool write_constant_like(op_parts& parts) {
    const int found = attributes.find_attribute({"value", 5, key_of("value")}, parts.attributes);
    if (found < 0) return in.fail("attribute", "the value of the constant is missing", parts.name);
    if (parts.operand_count != 1 || parts.result_count != 1)
      return in.fail("results", "the op has one operand and one result", parts.name);
    const int result = g.values.data[parts.results].type;
    const tensor_type type = g.types.data[result];
    const tensor_type like = g.type_of_value(g.operands.data[parts.operands]);
    if (!(like.shape == type.shape)) return in.fail("constant_like_c1", "shape(operand) = shape(result)", parts.name);
    const int after = in.at, first = state.attributes.data[found].position;
    in.at = first;
    if (!scanner.skip_value(false)) return false;
    const int last = in.at;
    const word element = in.accept(':') ? in.read_word() : word{};
    in.at = after;
    if (element.key != key_of(name(type.element)))
      return in.fail("constant_like_c2", "element_type(value) = element_type(result)", first);
    const literal_id value{g.literals.push({graph_literal::place::hlo_text, first, last - first})};
    if (g.overflow()) return true;
    if (!checker.check_literal(value, type.with_shape({}), first)) return false;
    g.values.size = parts.results;
    const int scalar = build.intern(type.with_shape({}));
    int constant = 0;
    if (!checker.add_node(ops::constant{value}, {}, {&scalar, 1}, build.enclosing_region(), parts.name, constant))
      return false;
    if (build.full()) return true;
    g.operands.data[parts.operands] = constant;
    build.renew_result(parts, result);
    return checker.append(ops::broadcast_in_dim{}, parts, build.enclosing_region());
  }

 private:
  attribute_reader& attributes;
  op_checker& checker;
  attribute_scanner& scanner = attributes.scanner;

  // Where the dimensions of an operand lie among those of the result: as said, or aligned at the last one.
  static constexpr ints places(const ints& shape, const ints& result, const ints& dimensions) {
    if (shape.size < result.size && dimensions.size == shape.size) return dimensions;
    ints aligned;
    for (int i = 0; i < shape.size; ++i) aligned.push(result.size - shape.size + i);
    return aligned;
  }

  constexpr bool check_shapes(const op_parts& parts, const tensor_type& result, const ints& dimensions) {
    constexpr const char* label = "chlo_broadcast_c1";
    bool reached[max_rank] = {};
    bool good = result.is_tensor();
    for (int i = 0; good && i < parts.operand_count; ++i) {
      const tensor_type& type = g.type_of_value(g.operands.data[parts.operands + i]);
      good = type.is_tensor() && type.shape.size <= result.shape.size;
      if (!good) break;
      if (type.is_quantized() || result.is_quantized())
        good = g.quantization_of(type).storage == g.quantization_of(result).storage;
      const ints to = places(type.shape, result.shape, dimensions);
      for (int d = 0; good && d < to.size; ++d) {
        good = to[d] >= 0 && to[d] < result.shape.size && (d == 0 || to[d - 1] < to[d]);
        if (!good) break;
        const index_t full = result.shape[int(to[d])];
        good = type.shape[d] == full || type.shape[d] == 1;
        if (type.shape[d] == full) reached[to[d]] = true;
      }
    }
    for (int d = 0; good && d < result.shape.size; ++d) good = reached[d];
    return good || in.fail(label,
                           "each dimension of an operand is 1 or that of the result, which one of the operands has; "
                           "quantized types store the same integers",
                           parts.name);
  }
};

}  // namespace tenon::text::mlir
