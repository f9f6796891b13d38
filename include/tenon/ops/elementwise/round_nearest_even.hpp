// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/rounding.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#round_nearest_even
struct round_nearest_even {
  static constexpr std::string_view name = "round_nearest_even";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_baseline(rule, {"round_nearest_even_i1", "round_nearest_even_c1", "round_nearest_even_o1"},
                               accepts::floating_point_or_quantized, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::round_nearest_even(operand); }
  static HWY_INLINE auto lanes(float_lanes auto d, auto operand) { return math::lanes::round_nearest_even(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// Each element rounded to the nearest integer, halves to the even one. Floats and quantized numbers; the result has the
// type of x.
constexpr auto round_nearest_even(operand_like auto&& x,
                                  elementwise_check<ops::round_nearest_even{}, decltype(x)> = {}) {
  return apply_elementwise<ops::round_nearest_even{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
