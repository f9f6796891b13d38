// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/inverse.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloasin_chloasinop
struct asin {
  static constexpr std::string_view dialect = "chlo", name = "asin";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"asin_i1", "asin_c1"}, accepts::floating_point_or_complex, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::asin(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::asin(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The arc sine of each element, in radians. Floats and complex numbers; the result has the type of x.
constexpr auto asin(operand_like auto&& x, elementwise_check<ops::asin{}, decltype(x)> = {}) {
  return apply_elementwise<ops::asin{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
