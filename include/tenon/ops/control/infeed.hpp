// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/process_context.hpp>

namespace tenon::ops {

// Results: what was fed, then a token.
// https://openxla.org/stablehlo/spec#infeed
struct infeed {
  static constexpr std::string_view name = "infeed";
  static constexpr std::string_view no_maps = "its result comes from outside";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  name_id infeed_config{};
  short_list<ints> layout{};  // of each tensor, minor to major

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("infeed_config", self.infeed_config) && visit("layout", self.layout);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    rule("infeed_i1", "token: token", operands.size == 1 && operands[0].is_token());
    const int payload = rule.declared.size - 1;
    rule("infeed_c1", "0 < size(results)", payload >= 0);
    for (const tensor_type& result : rule.declared.part(0, payload))
      rule("infeed_c2", "is_empty(result[:-1]) or is_tensor(type(results[:-1]))",
           rule.is(result, kinds::any | kinds::quantized));
    rule("infeed_c3", "is_token(type(results[-1]))", rule.declared[payload].is_token());
    rule("infeed_layout", "layout: one for each tensor", layout.empty() || layout.size + layout.dropped == payload);
    for (int i = 0; i < layout.size; ++i)
      for (int axis = 0; axis < rule.declared[i].rank(); ++axis)
        rule("infeed_layout", "layout: all dimensions of each tensor", layout.at[i].contains(axis));
    for (const tensor_type& result : rule.declared) results.push(result);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    if (e.process == nullptr) fail("infeed: there is nobody to feed a program that runs by itself");
    e.process->infeed(e.result_types.part(0, e.results.size - 1), e.results.data);
  }
};

}  // namespace tenon::ops

namespace tenon {

// infeed<type_of(dtype::f32, {2, 3})>(token): tensors of these types from the program's infeed queue, and a token.
template <tensor_type... Types, class Token>
constexpr auto infeed(Token&& token, op_check<ops::infeed{}, result_types<Types..., token_type()>, Token> = {}) {
  return apply<ops::infeed{}, result_types<Types..., token_type()>>(static_cast<Token&&>(token));
}

}  // namespace tenon
