// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#reverse
struct reverse {
  static constexpr std::string_view name = "reverse";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true;
  ints dimensions;

  static constexpr bool attributes(auto& self, auto visit) { return visit("dimensions", self.dimensions); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("reverse_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("reverse_c2", "is_unique(dimensions)", dimensions.unique() && dimensions.dropped == 0);
    rule("reverse_c3", "0 <= dimensions < rank(result)", dimensions.within(0, operand.rank()));
    return rule.result("reverse_c1", "type(operand) = type(result)", operand);
  }

  // Result element (d0, d1, ...) reads operand index dim(operand, i) - di - 1 along the axes in `dimensions`.
  constexpr indexing::indexing_map reads(int, list<tensor_type>, const tensor_type& result) const {
    return indexing::reverse_map(result.shape, dimensions);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    const ints& shape = e.result_types.data[0].shape;
    box_in_memory from = whole_tensor(shape);
    for (index_t axis : dimensions) {
      from.base += (shape[axis] - 1) * from.strides[axis];
      from.strides.set(axis, -from.strides[axis]);
    }
    copy_strided<T>(shape, e.results.data[0], whole_tensor(shape), e.operands.data[0], from);
  }
};

}  // namespace tenon::ops

namespace tenon {

// reverse<ints{0}>(x): the elements in the opposite order along these axes. Any element type; the result has the type
// of x.
template <ints Dimensions, class Operand>
constexpr auto reverse(Operand&& operand, op_check<ops::reverse{Dimensions}, result_types<>, Operand> = {}) {
  return apply<ops::reverse{Dimensions}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
