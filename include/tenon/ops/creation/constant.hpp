// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/op.hpp>
#include <tenon/ops/result_rules.hpp>

namespace tenon::ops {

// The elements stand in the program's list of literals; whoever runs the program puts them in place.
// https://openxla.org/stablehlo/spec#constant
struct constant {
  static constexpr std::string_view name = "constant";
  static constexpr bool is_constant = true;
  static constexpr op_notation notation = op_notation::constant;
  static constexpr std::string_view no_maps = "it has no operands";
  literal_id value;

  static constexpr bool attributes(auto& self, auto visit) { return visit("value", self.value); }

  constexpr tensor_type infer(rules& rule) const {
    const tensor_type result = declared_result(rule, "constant_c1");
    rule("constant_o1", "output: tensor or quantized tensor", rule.is(result, kinds::any | kinds::quantized));
    return result;
  }
};

}  // namespace tenon::ops
