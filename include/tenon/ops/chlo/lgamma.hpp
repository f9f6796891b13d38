// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/gamma.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlolgamma_chlolgammaop
// log|gamma(operand)|: infinite at 0 and the negative integers.
struct lgamma {
  static constexpr std::string_view dialect = "chlo", name = "lgamma";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"lgamma_i1", "lgamma_c1"}, accepts::floating_point, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::lgamma(operand); }

  static auto lanes(float_lanes auto d, auto operand) {
    return math::lanes::lgamma(d, operand, math::detail::real_lgamma);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The logarithm of the absolute value of the gamma function, of each element. Floats; the result has the type of x.
constexpr auto lgamma(operand_like auto&& x, elementwise_check<ops::lgamma{}, decltype(x)> = {}) {
  return apply_elementwise<ops::lgamma{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
