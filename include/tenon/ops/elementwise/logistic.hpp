// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exponential.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#logistic
struct logistic : accurate_op {
  static constexpr std::string_view name = "logistic";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "logistic_i2", result_accuracy);
    return infer_same_baseline(rule, {"logistic_i1", "logistic_c1", "logistic_o1"},
                               accepts::floating_point_complex_or_quantized, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::logistic(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::logistic(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// 1 / (1 + e^-x) of each element. Floats, complex and quantized numbers; the result has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto logistic(operand_like auto&& x, elementwise_check<ops::logistic{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::logistic{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
