// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/process_context.hpp>

namespace tenon::ops {

// Operands: what is handed out, then a token.
// https://openxla.org/stablehlo/spec#outfeed
struct outfeed {
  static constexpr std::string_view name = "outfeed";
  static constexpr std::string_view no_maps = "its result is a token";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  name_id outfeed_config{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("outfeed_config", self.outfeed_config); }

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    for (const tensor_type& input : operands.part(0, operands.size - 1))
      rule("outfeed_i1", "inputs: tensors or quantized tensors", rule.is(input, kinds::any | kinds::quantized));
    rule("outfeed_i2", "token: token", operands[operands.size - 1].is_token());
    results.push(rule.result("outfeed_o1", "result: token", token_type()));
  }

  template <class>
  void evaluate(const evaluation& e) const {
    if (e.process == nullptr) fail("outfeed: there is nobody to take what a program that runs by itself hands out");
    e.process->outfeed(e.operand_types.part(0, e.operands.size - 1), e.operands.data);
  }
};

}  // namespace tenon::ops

namespace tenon {

// outfeed(inputs..., token): hands tensors of any type to the program's outfeed queue; the result is a token.
template <class... Operands>
constexpr auto outfeed(Operands&&... operands) {
  return apply<ops::outfeed{}>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
