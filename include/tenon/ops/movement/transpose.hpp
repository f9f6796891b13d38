// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#transpose
struct transpose {
  static constexpr std::string_view name = "transpose";
  ints permutation;

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("transpose_i1", "operand: tensor or quantized tensor", rule.is(operand, kinds::any | kinds::quantized));
    rule("transpose_c2", "permutation is a permutation of range(rank(operand))",
         permutation.size == operand.rank() && permutation.unique() && permutation.within(0, operand.rank()));
    tensor_type result = operand;
    result.shape = operand.shape.select(permutation);
    rule.result_element("transpose_c1", "element_type(result) = element_type(operand)", operand);
    rule.result_shape("transpose_c3", "shape(result) = dim(operand, permutation...)", result.shape);
    return result;
  }

  // Result element (d0, d1, ...) reads the operand element whose index at permutation[i] is di.
  constexpr indexing_map reads(int, list<tensor_type>, const tensor_type& result) const {
    return transpose_map(result.shape, permutation);
  }
};

}  // namespace tenon::ops
BOOST_HANA_ADAPT_STRUCT(tenon::ops::transpose, permutation);

namespace tenon {

template <ints Permutation, class Operand>
constexpr auto transpose(Operand&& operand) {
  return apply<ops::transpose{Permutation}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
