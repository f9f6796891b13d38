// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlois_neg_inf_chloisneginfop
struct is_neg_inf {
  static constexpr std::string_view dialect = "chlo", name = "is_neg_inf";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    check_kind(rule, "is_neg_inf_i1", accepts::floating_point, operand);
    return rule.result("is_neg_inf_c1", "result: tensor of boolean type of the shape of the operand",
                       operand.with_element(dtype::i1));
  }

  static constexpr bool element(auto operand) { return ieee::is_infinite(operand) && ieee::is_negative(operand); }

  // Gives a mask of D.
  static auto lanes(float_lanes auto d, auto operand) {
    return hn::Eq(operand, hn::Set(d, -ieee::infinity<hn::TFromD<decltype(d)>>));
  }
};

}  // namespace tenon::ops

namespace tenon {

// Whether each element is minus infinity. Floats; the result is i1 of the same shape.
constexpr auto is_neg_inf(operand_like auto&& x, elementwise_check<ops::is_neg_inf{}, decltype(x)> = {}) {
  return apply_elementwise<ops::is_neg_inf{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
