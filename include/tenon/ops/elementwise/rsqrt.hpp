// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/root.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#rsqrt
struct rsqrt : accurate_op {
  static constexpr std::string_view name = "rsqrt";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "rsqrt_i2", result_accuracy);
    return infer_same_baseline(rule, {"rsqrt_i1", "rsqrt_c1", "rsqrt_o1"}, accepts::floating_point_complex_or_quantized,
                               operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::rsqrt(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::rsqrt(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// 1 / sqrt(x) of each element. Floats, complex and quantized numbers; the result has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto rsqrt(operand_like auto&& x, elementwise_check<ops::rsqrt{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::rsqrt{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
