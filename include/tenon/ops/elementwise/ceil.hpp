// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/rounding.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#ceil
struct ceil {
  static constexpr std::string_view name = "ceil";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_baseline(rule, {"ceil_i1", "ceil_c1", "ceil_o1"}, accepts::floating_point_or_quantized, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::ceil(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::ceil(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// Each element rounded up to an integer. Floats and quantized numbers; the result has the type of x.
constexpr auto ceil(operand_like auto&& x, elementwise_check<ops::ceil{}, decltype(x)> = {}) {
  return apply_elementwise<ops::ceil{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
