// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#sine
struct sine : accurate_op {
  static constexpr std::string_view name = "sine";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "sine_i2", result_accuracy);
    return infer_same_baseline(rule, {"sine_i1", "sine_c1", "sine_o1"}, accepts::floating_point_complex_or_quantized,
                               operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::sine(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::sine(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The sine of each element, in radians. Floats, complex and quantized numbers; the result has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto sine(operand_like auto&& x, elementwise_check<ops::sine{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::sine{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
