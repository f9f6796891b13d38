// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/movement/broadcast_in_dim.hpp>

namespace tenon::ops {

// Puts new dimensions in front. No longer in the specification; broadcast_in_dim does the same and more.
struct broadcast {
  static constexpr std::string_view name = "broadcast";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true;
  ints broadcast_sizes;

  static constexpr bool attributes(auto& self, auto visit) { return visit("broadcast_sizes", self.broadcast_sizes); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("broadcast_i1", "operand: tensor or quantized tensor", rule.is(operand, kinds::any | kinds::quantized));
    const ints shape = broadcast_sizes + operand.shape;
    rule("broadcast_i2", "broadcast_sizes: sizes of dimensions",
         broadcast_sizes.within(0, INT64_MAX) && shape.dropped == 0);
    tensor_type result = operand.with_shape(shape);
    rule.result_shape("broadcast_c1", "shape(result) = broadcast_sizes + shape(operand)", shape);
    if (!rule.declared.empty()) {
      rule("broadcast_c2", "element_type(result) = element_type(operand), but for the quantized dimension",
           same_elements(rule, operand, rule.declared[0], differing::quantization_dimension));
      result.quantization = rule.declared[0].quantization;
    }
    return result;
  }

  // Result element (..., d0, d1, ...) reads operand element (d0, d1, ...).
  constexpr indexing::indexing_map reads(int, list<tensor_type> operands, const tensor_type& result) const {
    return indexing::broadcast_in_dim_map(result.shape, operands[0].shape, axes(operands[0].rank()));
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    broadcast_elements<T>(e, axes(e.operand_types.data[0].rank()));
  }

 private:
  constexpr ints axes(int rank) const {
    ints result;
    for (int i = 0; i < rank; ++i) result.push(broadcast_sizes.size + i);
    return result;
  }
};

}  // namespace tenon::ops
