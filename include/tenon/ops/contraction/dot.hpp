// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/dot_general.hpp>

namespace tenon::ops {

// The product of two vectors, of a matrix and a vector, or of two matrices. Left out of the specification in favour of
// dot_general, still met in programs. https://openxla.org/xla/operation_semantics#dot
struct dot {
  static constexpr std::string_view name = "dot";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool dequantizes = true;
  static constexpr int least_range = dot_general::least_range;
  static constexpr unsigned strided_operands = dot_general::strided_operands;
  precision_list precision_config{};  // absent: DEFAULT

  static constexpr bool attributes(auto& self, auto visit) { return visit("precision_config", self.precision_config); }

  constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) const {
    rule("dot_i1", "lhs: tensor or quantized tensor", rule.is(lhs, kinds::any | kinds::quantized));
    rule("dot_i2", "rhs: tensor or quantized tensor", rule.is(rhs, kinds::any | kinds::quantized));
    rule("dot_c1", "1 <= rank(lhs) <= 2, 1 <= rank(rhs) <= 2",
         (lhs.rank() == 1 || lhs.rank() == 2) && (rhs.rank() == 1 || rhs.rank() == 2));
    rule("dot_c1", "dim(lhs, -1) = dim(rhs, 0)", lhs.dim(lhs.rank() - 1) == rhs.dim(0));
    rule("dot_c2", "size(precision_config) = 2", is_complete(precision_config));
    const ints shape = lhs.shape.without({lhs.rank() - 1}) + rhs.shape.without({0});
    check_product_shape(rule, "dot_c3", "shape(result) = shape(lhs)[:-1] + shape(rhs)[1:]", shape);
    const tensor_type result = product_type(rule, lhs, shape);
    if (is_quantized_product(lhs, rhs, result))
      check_quantized_product(rule, {"dot_c4", "dot_c4", "dot_c4", "dot_c4", "dot_c4"}, lhs, rhs, result);
    else
      rule("dot_c4", "element_type(lhs) = element_type(rhs), and that of the result is of the same kind",
           lhs.element == rhs.element && kind_of(result.element) == kind_of(lhs.element));
    return result;
  }

  constexpr indexing::indexing_map reads(int operand, list<tensor_type> operands, const tensor_type& result) const {
    return general(operands[0].rank()).reads(operand, operands, result);
  }

  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type> results) const {
    return general(operands[0].rank()).scratch_bytes(operands, results);
  }

  constexpr product_dimensions product(list<tensor_type> operands, const type_details* details,
                                       list<ints> operand_strides = {}) const {
    return general(operands[0].rank()).product(operands, details, operand_strides);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    general(e.operand_types[0].rank()).template evaluate<T>(e);
  }

  // The same as a dot_general.
  constexpr dot_general general(int lhs_rank) const {
    return {.dot_dimension_numbers = {.lhs_contracting_dimensions = {lhs_rank - 1}, .rhs_contracting_dimensions = {0}},
            .precision_config = precision_config};
  }
};

}  // namespace tenon::ops

namespace tenon {

// The product of two vectors, of a matrix and a vector, or of two matrices: n and n elements give a tensor without
// dimensions, m x n and n give m, m x n and n x k give m x k. Any element type, the same for both, which the result
// has.
constexpr auto dot(auto&& lhs, auto&& rhs, op_check<ops::dot{}, result_types<>, decltype(lhs), decltype(rhs)> = {}) {
  return apply<ops::dot{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
