// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/gamma.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlodigamma_chlodigammaop
// The derivative of lgamma: -infinity at +0, +infinity at -0, NaN at the negative integers.
struct digamma {
  static constexpr std::string_view dialect = "chlo", name = "digamma";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"digamma_i1", "digamma_c1"}, accepts::floating_point, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::digamma(operand); }

  static auto lanes(float_lanes auto d, auto operand) {
    return math::lanes::digamma(d, operand, math::detail::real_digamma);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The derivative of the logarithm of the gamma function, of each element. Floats; the result has the type of x.
constexpr auto digamma(operand_like auto&& x, elementwise_check<ops::digamma{}, decltype(x)> = {}) {
  return apply_elementwise<ops::digamma{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
