// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#tan
struct tan : accurate_op {
  static constexpr std::string_view name = "tan";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "tan_i2", result_accuracy);
    return infer_same_baseline(rule, {"tan_i1", "tan_c1", "tan_o1"}, accepts::floating_point_complex_or_quantized,
                               operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::tan(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::tan(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The tangent of each element, in radians. Floats, complex and quantized numbers; the result has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto tan(operand_like auto&& x, elementwise_check<ops::tan{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::tan{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
