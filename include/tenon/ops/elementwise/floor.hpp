// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/rounding.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#floor
struct floor {
  static constexpr std::string_view name = "floor";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_baseline(rule, {"floor_i1", "floor_c1", "floor_o1"}, accepts::floating_point_or_quantized,
                               operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::floor(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::floor(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// Each element rounded down to an integer. Floats and quantized numbers; the result has the type of x.
constexpr auto floor(operand_like auto&& x, elementwise_check<ops::floor{}, decltype(x)> = {}) {
  return apply_elementwise<ops::floor{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
