// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#after_all
struct after_all {
  static constexpr std::string_view name = "after_all";
  static constexpr std::string_view no_maps = "its operands are tokens";
  static constexpr bool moves_bytes = true;

  static constexpr void infer(rules& rule, list<tensor_type> inputs, table<tensor_type>& results) {
    for (const tensor_type& input : inputs) rule("after_all_i1", "inputs: tokens", input.is_token());
    results.push(rule.result("after_all_o1", "result: token", token_type()));
  }

  // A token is nothing but the order of the ops.
  template <class>
  void evaluate(const evaluation&) const {}
};

}  // namespace tenon::ops

namespace tenon {

// A token that is there when all these tokens are: what gets it comes after them.
template <class... Inputs>
constexpr auto after_all(Inputs&&... inputs) {
  return apply<ops::after_all{}>(static_cast<Inputs&&>(inputs)...);
}

}  // namespace tenon
