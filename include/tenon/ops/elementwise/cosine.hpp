// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#cosine
struct cosine : accurate_op {
  static constexpr std::string_view name = "cosine";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "cosine_i2", result_accuracy);
    return infer_same_baseline(rule, {"cosine_i1", "cosine_c1", "cosine_o1"},
                               accepts::floating_point_complex_or_quantized, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::cosine(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::cosine(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The cosine of each element, in radians. Floats, complex and quantized numbers; the result has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto cosine(operand_like auto&& x, elementwise_check<ops::cosine{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::cosine{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
