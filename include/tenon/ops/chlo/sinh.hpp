// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlosinh_chlosinhop
struct sinh {
  static constexpr std::string_view dialect = "chlo", name = "sinh";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"sinh_i1", "sinh_c1"}, accepts::floating_point_or_complex, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::sinh(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::sinh(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The hyperbolic sine of each element. Floats and complex numbers; the result has the type of x.
constexpr auto sinh(operand_like auto&& x, elementwise_check<ops::sinh{}, decltype(x)> = {}) {
  return apply_elementwise<ops::sinh{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
