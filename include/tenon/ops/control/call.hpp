// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// func.call: the region is the body of the function that `callee` names.
struct call {
  static constexpr std::string_view dialect = "func", name = "call";
  static constexpr op_notation notation = op_notation::call;
  static constexpr std::string_view no_maps = "the function that is called has them";
  static constexpr bool moves_bytes = true, is_call = true;
  name_id callee;

  static constexpr bool attributes(auto& self, auto visit) { return visit("callee", self.callee); }

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    const signature function = rule.regions[0];
    rule("call_c1", "callee is a function of the module", rule.regions.size == 1);
    rule("call_c2", "type(operands...) = types of the callee's arguments", operands == function.arguments);
    rule("call_c3", "type(results...) = types of the callee's results",
         rule.declared.empty() || rule.declared == function.results);
    for (const tensor_type& result : function.results) results.push(result);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    e.run(0, e.operands.data, e.results.data);
  }
};

}  // namespace tenon::ops
