// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/result_rules.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

// Copies operand 0 to result 0: axis k of the operand becomes axis axes[k], and repeats where it has size 1.
template <class T>
void broadcast_elements(const core::evaluation& e, const ints& axes) {
  const ints &shape = e.result_types.data[0].shape, &operand = e.operand_types.data[0].shape;
  const ints strides = strides_of(operand);
  ints steps = ints::filled(shape.size, 0);
  for (int k = 0; k < operand.size; ++k) steps.set(axes[k], operand[k] == 1 ? 0 : strides[k]);
  ops::copy_strided<T>(shape, e.results.data[0], ops::whole_tensor(shape), e.operands.data[0], {0, steps});
}

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#broadcast_in_dim
struct broadcast_in_dim {
  static constexpr std::string_view name = "broadcast_in_dim";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true;
  ints broadcast_dimensions;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("broadcast_dimensions", self.broadcast_dimensions);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("broadcast_in_dim_i1", "operand: tensor or quantized tensor", rule.is(operand, kinds::any | kinds::quantized));
    const tensor_type result = declared_result(rule, "broadcast_in_dim_o1", operand);
    check_broadcast(rule,
                    {"broadcast_in_dim_c1", "broadcast_in_dim_c2", "broadcast_in_dim_c3", "broadcast_in_dim_c4",
                     "broadcast_in_dim_c5", "broadcast_in_dim_c6"},
                    operand, result, broadcast_dimensions);
    return result;
  }

  // Result element (d0, d1, ...) reads operand index broadcast_dimensions[k] along axis k, or 0 where the size is 1.
  constexpr indexing::indexing_map reads(int, list<tensor_type> operands, const tensor_type& result) const {
    return indexing::broadcast_in_dim_map(result.shape, operands[0].shape, broadcast_dimensions);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    broadcast_elements<T>(e, broadcast_dimensions);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The operand spread over a tensor of shape `Shape`; its axis k becomes axis BroadcastDimensions[k], where its size is
// the same or 1. Any element type.
template <ints Shape, ints BroadcastDimensions, class Operand>
constexpr auto broadcast_in_dim(
    Operand&& operand,
    op_check<ops::broadcast_in_dim{BroadcastDimensions}, result_types<type_of(dtype::none, Shape)>, Operand> = {}) {
  return apply<ops::broadcast_in_dim{BroadcastDimensions}, result_types<type_of(dtype::none, Shape)>>(
      static_cast<Operand&&>(operand));
}

}  // namespace tenon
