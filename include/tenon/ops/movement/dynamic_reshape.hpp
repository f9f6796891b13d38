// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/movement/reshape.hpp>
#include <tenon/ops/shape_operand.hpp>

namespace tenon::ops {

// reshape to a shape that the program computes; it must be the one that the type of the result says.
// https://openxla.org/stablehlo/spec#dynamic_reshape
struct dynamic_reshape {
  static constexpr std::string_view name = "dynamic_reshape";
  static constexpr bool asks_for_constants = true;
  static constexpr bool moves_bytes = true;

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& output_shape) {
    rule("dynamic_reshape_i1", "operand: tensor or quantized tensor", rule.is(operand, kinds::any | kinds::quantized));
    rule("dynamic_reshape_i2", "output_shape: 1-dimensional tensor of integer type",
         is_shape_operand(rule, output_shape));
    const tensor_type result = declared_result(rule, "dynamic_reshape_o1", operand);
    rule("dynamic_reshape_c1", "element_type(result) = element_type(operand), but for the quantized dimension",
         same_elements(rule, operand, result, differing::quantization_dimension));
    rule("dynamic_reshape_c2", "size(operand) = size(result)",
         operand.size() == result.size() || (operand.bounded | result.bounded) != 0);
    if (rule.is_per_axis_quantized(operand))
      rule("dynamic_reshape_c3", "the sizes before, along and after the quantized dimension stay the same",
           same_sizes_around(rule, operand, result));
    check_shape_operand(rule, "dynamic_reshape_c4", 1, output_shape, result);
    return result;
  }

  // As reshape; every element needs the shape.
  static constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                                list<tensor_type> results) {
    if (operand == 1) return indexing::whole_map(results[0].shape, operands[1].shape);
    return indexing::reshape_map(results[0].shape, operands[0].shape);
  }
  static constexpr indexing::indexing_map writes(int operand, int, list<tensor_type> operands,
                                                 list<tensor_type> results) {
    if (operand == 1) return indexing::whole_map(operands[1].shape, results[0].shape);
    return indexing::reshape_map(operands[0].shape, results[0].shape);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    expect_result_shape(e, name, read_shape_operand(e, 1));
    reshape{}.evaluate<T>(e);
  }
};

}  // namespace tenon::ops

namespace tenon {

// As reshape, to a shape that is known when it runs: integers, one for each dimension. `Shape` is what output_shape
// must turn out to hold.
template <ints Shape, class Operand, class OutputShape>
constexpr auto dynamic_reshape(
    Operand&& operand, OutputShape&& output_shape,
    op_check<ops::dynamic_reshape{}, result_types<type_of(dtype::none, Shape)>, Operand, OutputShape> = {}) {
  return apply<ops::dynamic_reshape{}, result_types<type_of(dtype::none, Shape)>>(
      static_cast<Operand&&>(operand), static_cast<OutputShape&&>(output_shape));
}

}  // namespace tenon
