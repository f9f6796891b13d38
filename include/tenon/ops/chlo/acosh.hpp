// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/inverse.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloacosh_chloacoshop
struct acosh {
  static constexpr std::string_view dialect = "chlo", name = "acosh";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"acosh_i1", "acosh_c1"}, accepts::floating_point_or_complex, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::acosh(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::acosh(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The inverse hyperbolic cosine of each element; NaN below 1. Floats and complex numbers; the result has the type of x.
constexpr auto acosh(operand_like auto&& x, elementwise_check<ops::acosh{}, decltype(x)> = {}) {
  return apply_elementwise<ops::acosh{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
