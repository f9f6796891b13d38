// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/root.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#cbrt
struct cbrt : accurate_op {
  static constexpr std::string_view name = "cbrt";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "cbrt_i2", result_accuracy);
    return infer_same_baseline(rule, {"cbrt_i1", "cbrt_c1", "cbrt_o1"}, accepts::floating_point_complex_or_quantized,
                               operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::cbrt(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::cbrt(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The cube root of each element. Floats, complex and quantized numbers; the result has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto cbrt(operand_like auto&& x, elementwise_check<ops::cbrt{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::cbrt{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
