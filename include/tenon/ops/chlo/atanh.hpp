// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/inverse.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloatanh_chloatanhop
struct atanh {
  static constexpr std::string_view dialect = "chlo", name = "atanh";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"atanh_i1", "atanh_c1"}, accepts::floating_point_or_complex, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::atanh(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::atanh(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The inverse hyperbolic tangent of each element. Floats and complex numbers; the result has the type of x.
constexpr auto atanh(operand_like auto&& x, elementwise_check<ops::atanh{}, decltype(x)> = {}) {
  return apply_elementwise<ops::atanh{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
