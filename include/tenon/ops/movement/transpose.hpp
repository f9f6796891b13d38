// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/result_rules.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#transpose
struct transpose {
  static constexpr std::string_view name = "transpose";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true;
  ints permutation;

  static constexpr bool attributes(auto& self, auto visit) { return visit("permutation", self.permutation); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("transpose_i1", "operand: tensor or quantized tensor", rule.is(operand, kinds::any | kinds::quantized));
    rule("transpose_c2", "permutation is a permutation of range(rank(operand))",
         permutation.size == operand.rank() && permutation.unique() && permutation.within(0, operand.rank()));
    tensor_type result = operand.with_shape(operand.shape.select(permutation));
    for (int i = 0; i < result.rank(); ++i)
      if (operand.is_bounded(permutation[i])) result.bound(i);
    rule.result_shape("transpose_c3", "shape(result) = dim(operand, permutation...)", result.shape);
    if (!rule.declared.empty()) {
      rule("transpose_c1", "element_type(result) = element_type(operand), but for the quantized dimension",
           same_elements(rule, operand, rule.declared[0], differing::quantization_dimension));
      result.quantization = rule.declared[0].quantization;
    }
    if (rule.is_per_axis_quantized(operand))
      rule("transpose_c4", "quantization_dimension(operand) = permutation(quantization_dimension(result))",
           rule.quantization_of(operand).dimension == permutation[rule.quantization_of(result).dimension]);
    return result;
  }

  // Result element (d0, d1, ...) reads the operand element whose index at permutation[i] is di.
  constexpr indexing::indexing_map reads(int, list<tensor_type>, const tensor_type& result) const {
    return indexing::transpose_map(result.shape, permutation);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    const ints& shape = e.result_types.data[0].shape;
    const ints strides = strides_of(e.operand_types.data[0].shape).select(permutation);
    copy_strided<T>(shape, e.results.data[0], whole_tensor(shape), e.operands.data[0], {0, strides});
  }
};

}  // namespace tenon::ops

namespace tenon {

// transpose<ints{1, 0}>(x): axis k of the result is axis Permutation[k] of x. Any element type.
template <ints Permutation, class Operand>
constexpr auto transpose(Operand&& operand, op_check<ops::transpose{Permutation}, result_types<>, Operand> = {}) {
  return apply<ops::transpose{Permutation}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
