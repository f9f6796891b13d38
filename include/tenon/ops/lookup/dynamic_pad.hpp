// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/movement/pad.hpp>
#include <tenon/ops/result_rules.hpp>
#include <tenon/ops/shape_operand.hpp>

namespace tenon::ops {

// pad by amounts that the program computes; they must make the shape that the type of the result says.
// https://openxla.org/stablehlo/spec#dynamic_pad
struct dynamic_pad {
  static constexpr std::string_view name = "dynamic_pad";
  static constexpr bool asks_for_constants = true;
  static constexpr bool moves_bytes = true, pads = true;

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& padding_value,
                                     const tensor_type& edge_padding_low, const tensor_type& edge_padding_high,
                                     const tensor_type& interior_padding) {
    const int rank = operand.rank();
    rule("dynamic_pad_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("dynamic_pad_i2", "padding_value: 0-dimensional tensor or per-tensor quantized tensor",
         rule.is(padding_value, kinds::any | kinds::per_tensor_quantized) && padding_value.rank() == 0);
    rule("dynamic_pad_i3", "edge_padding_low: 1-dimensional tensor of integer type",
         is_shape_operand(rule, edge_padding_low));
    rule("dynamic_pad_i4", "edge_padding_high: 1-dimensional tensor of integer type",
         is_shape_operand(rule, edge_padding_high));
    rule("dynamic_pad_i5", "interior_padding: 1-dimensional tensor of integer type",
         is_shape_operand(rule, interior_padding));
    const tensor_type result = declared_result(rule, "dynamic_pad_o1", operand);
    rule("dynamic_pad_c1", "element_type(operand) = element_type(padding_value) = element_type(result)",
         operand.with_shape({}) == padding_value.with_shape({}) && operand.with_shape({}) == result.with_shape({}));
    rule("dynamic_pad_c2", "size(edge_padding_low) = size(edge_padding_high) = size(interior_padding) = rank(operand)",
         edge_padding_low.dim(0) == rank && edge_padding_high.dim(0) == rank && interior_padding.dim(0) == rank);
    const bool interior_known = is_known(rule, 4, interior_padding);
    const bool all_known =
        interior_known && is_known(rule, 2, edge_padding_low) && is_known(rule, 3, edge_padding_high);
    const ints low = known_value(rule, 2), high = known_value(rule, 3), interior = known_value(rule, 4);
    rule("dynamic_pad_c4", "rank(result) = rank(operand)", result.rank() == rank);
    for (int i = 0; i < rank; ++i) {
      rule("dynamic_pad_c3", "0 <= interior_padding", !interior_known || interior[i] >= 0);
      rule("dynamic_pad_c4",
           "shape(result) = shape(operand) + edge_padding_low + max(shape(operand) - 1, 0) * interior_padding + "
           "edge_padding_high",
           !all_known || result.dim(i) == padded_size(operand.dim(i), low[i], high[i], interior[i]));
    }
    return result;
  }

  // As pad, with paddings that are known when the program runs.
  static constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                                list<tensor_type> results) {
    if (operand == 1) return indexing::scalar_map(results[0].shape);
    if (operand > 1) return indexing::whole_map(results[0].shape, operands[operand].shape);
    return indexing::dynamic_pad_map(results[0].shape, operands[0].shape);
  }
  static constexpr indexing::runtime_source source_of(int, int variable, list<tensor_type>, list<tensor_type> results) {
    const int rank = results[0].rank();
    indexing::indexing_map element = indexing::map_over(results[0].shape);
    element.add_result(element.constant(variable % (rank > 0 ? rank : 1)));
    return {variable < rank ? 2 : 4, element};
  }

  static padding_sizes padding(const evaluation& e) {
    const ints low = read_shape_operand(e, 2), high = read_shape_operand(e, 3), interior = read_shape_operand(e, 4);
    const ints& operand = e.operand_types.data[0].shape;
    ints computed;
    for (int i = 0; i < operand.size; ++i) {
      if (interior[i] < 0) fail("dynamic_pad: interior padding ", interior[i], " of dimension ", i);
      computed.push(padded_size(operand[i], low[i], high[i], interior[i]));
    }
    expect_result_shape(e, name, computed);
    return {low, interior};
  }
  template <class T>
  void evaluate(const evaluation& e) const {
    pad_elements<T>(e, padding(e));
  }
};

}  // namespace tenon::ops

namespace tenon {

// As pad, by numbers that are known when it runs: integers, one for each dimension, below, above and between. `Shape`
// is what the shape of the result must turn out to be.
template <ints Shape, class Operand, class PaddingValue, class Low, class High, class Interior>
constexpr auto dynamic_pad(Operand&& operand, PaddingValue&& padding_value, Low&& edge_padding_low,
                           High&& edge_padding_high, Interior&& interior_padding,
                           op_check<ops::dynamic_pad{}, result_types<type_of(dtype::none, Shape)>, Operand,
                                    PaddingValue, Low, High, Interior> = {}) {
  return apply<ops::dynamic_pad{}, result_types<type_of(dtype::none, Shape)>>(
      static_cast<Operand&&>(operand), static_cast<PaddingValue&&>(padding_value), static_cast<Low&&>(edge_padding_low),
      static_cast<High&&>(edge_padding_high), static_cast<Interior&&>(interior_padding));
}

}  // namespace tenon
