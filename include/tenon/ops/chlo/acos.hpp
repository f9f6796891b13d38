// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/inverse.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloacos_chloacosop
struct acos {
  static constexpr std::string_view dialect = "chlo", name = "acos";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"acos_i1", "acos_c1"}, accepts::floating_point_or_complex, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::acos(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::acos(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The arc cosine of each element, in radians. Floats and complex numbers; the result has the type of x.
constexpr auto acos(operand_like auto&& x, elementwise_check<ops::acos{}, decltype(x)> = {}) {
  return apply_elementwise<ops::acos{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
