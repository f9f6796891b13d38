// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#async_done
struct async_done {
  static constexpr std::string_view name = "async_done";
  static constexpr op_notation notation = op_notation::generic;
  static constexpr std::string_view no_maps = "what was started has them";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true, unwraps = true;

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    const list<tensor_type> members = rule.members_of(operands[0]);
    rule("async_done_i1", "operand: future", operands.size == 1 && operands[0].element == dtype::future);
    rule("async_done_c1", "type(operand) = future<T> => type(result) = T",
         rule.declared.empty() || rule.declared == members);
    for (const tensor_type& member : members) results.push(member);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    for (int i = 0; i < e.results.size; ++i)
      copy_bytes(e.results.data[i], e.operand<unsigned char>(0) + member_offset(e.operand_types.data[0], i, e.details),
                 value_bytes(e.result_types.data[i], e.details));
  }
};

}  // namespace tenon::ops
