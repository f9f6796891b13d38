// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlocosh_chlocoshop
struct cosh {
  static constexpr std::string_view dialect = "chlo", name = "cosh";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"cosh_i1", "cosh_c1"}, accepts::floating_point_or_complex, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::cosh(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::cosh(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The hyperbolic cosine of each element. Floats and complex numbers; the result has the type of x.
constexpr auto cosh(operand_like auto&& x, elementwise_check<ops::cosh{}, decltype(x)> = {}) {
  return apply_elementwise<ops::cosh{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
