// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exponential.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#exponential_minus_one
struct exponential_minus_one : accurate_op {
  static constexpr std::string_view name = "exponential_minus_one";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "exponential_minus_one_i2", result_accuracy);
    return infer_same_baseline(rule,
                               {"exponential_minus_one_i1", "exponential_minus_one_c1", "exponential_minus_one_o1"},
                               accepts::floating_point_complex_or_quantized, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::exponential_minus_one(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::exponential_minus_one(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// e to the power of each element, minus 1; exact next to 0 too. Floats, complex and quantized numbers; the result has
// the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto exponential_minus_one(operand_like auto&& x,
                                     elementwise_check<ops::exponential_minus_one{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::exponential_minus_one{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
