// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/gamma.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlopolygamma_chlopolygammaop
// The n-th derivative of digamma at x: NaN unless n is a natural number.
struct polygamma {
  static constexpr std::string_view dialect = "chlo", name = "polygamma";

  static constexpr tensor_type infer(rules& rule, const tensor_type& n, const tensor_type& x) {
    return infer_same_type(rule, {"polygamma_i1", "polygamma_i2", "polygamma_c1"}, accepts::floating_point, n, x);
  }

  template <class T>
  static constexpr T element(T n, T x) {
    return math::polygamma(n, x);
  }
  template <class D, class V>
    requires std::same_as<hn::TFromD<D>, f32>
  static V lanes(D d, V n, V x) {
    return math::lanes::polygamma(d, n, x, math::detail::real_polygamma);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The derivative of order n of digamma at x, element by element. Floats; operands and result have one type, one operand
// may be a number.
constexpr auto polygamma(auto&& n, auto&& x, elementwise_check<ops::polygamma{}, decltype(n), decltype(x)> = {}) {
  return apply_elementwise<ops::polygamma{}>(static_cast<decltype(n)>(n), static_cast<decltype(x)>(x));
}

}  // namespace tenon
