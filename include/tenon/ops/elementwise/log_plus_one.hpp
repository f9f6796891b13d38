// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/logarithm.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#log_plus_one
struct log_plus_one : accurate_op {
  static constexpr std::string_view name = "log_plus_one";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "log_plus_one_i2", result_accuracy);
    return infer_same_baseline(rule, {"log_plus_one_i1", "log_plus_one_c1", "log_plus_one_o1"},
                               accepts::floating_point_complex_or_quantized, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::log_plus_one(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::log_plus_one(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The natural logarithm of 1 plus each element; exact next to 0 too. Floats, complex and quantized numbers; the result
// has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto log_plus_one(operand_like auto&& x, elementwise_check<ops::log_plus_one{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::log_plus_one{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
