// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/bessel.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlobessel_i1e_chlobesseli1eop
// e^-|x| I1(x), where I1 is the modified Bessel function of the first kind and order 1.
struct bessel_i1e {
  static constexpr std::string_view dialect = "chlo", name = "bessel_i1e";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"bessel_i1e_i1", "bessel_i1e_c1"}, accepts::floating_point, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::bessel_i1e(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::bessel_i1e(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// e^-abs(x) times the modified Bessel function of the first kind and order 1, of each element. Floats; the result has
// the type of x.
constexpr auto bessel_i1e(operand_like auto&& x, elementwise_check<ops::bessel_i1e{}, decltype(x)> = {}) {
  return apply_elementwise<ops::bessel_i1e{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
