// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#optimization_barrier
struct optimization_barrier {
  static constexpr std::string_view name = "optimization_barrier";
  static constexpr op_notation notation = op_notation::optimization_barrier;
  static constexpr bool moves_bytes = true, is_view = true;

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    for (const tensor_type& type : operands) {
      rule("optimization_barrier_i1", "operand: tensors, per-tensor quantized tensors or tokens",
           type.is_token() || rule.is(type, kinds::any | kinds::per_tensor_quantized));
      results.push(type);
    }
    rule("optimization_barrier_c1", "type(operand...) = type(result...)",
         rule.declared.empty() || rule.declared == operands);
  }

  // Result i is operand i.
  static constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                                list<tensor_type> results) {
    return operand == result ? indexing::identity_map(results[result].shape)
                             : indexing::nothing_map(results[result].shape, operands[operand].shape);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    for (int i = 0; i < e.operands.size; ++i)
      copy_bytes(e.results.data[i], e.operands.data[i], byte_size(e.operand_types.data[i]));
  }
};

}  // namespace tenon::ops

namespace tenon {

// The operands as they are, none before all are there. Any types; as many results.
template <class... Operands>
constexpr auto optimization_barrier(Operands&&... operand) {
  return apply<ops::optimization_barrier{}>(static_cast<Operands&&>(operand)...);
}

}  // namespace tenon
