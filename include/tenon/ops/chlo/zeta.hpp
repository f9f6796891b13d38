// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/gamma.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlozeta_chlozetaop
// The sum of (q + n)^-x over n = 0, 1, 2, ...: NaN for x < 1, infinite for x = 1.
struct zeta {
  static constexpr std::string_view dialect = "chlo", name = "zeta";

  static constexpr tensor_type infer(rules& rule, const tensor_type& x, const tensor_type& q) {
    return infer_same_type(rule, {"zeta_i1", "zeta_i2", "zeta_c1"}, accepts::floating_point, x, q);
  }

  template <class T>
  static constexpr T element(T x, T q) {
    return math::zeta(x, q);
  }
  template <class D, class V>
    requires std::same_as<hn::TFromD<D>, f32>
  static V lanes(D d, V x, V q) {
    return math::lanes::zeta(d, x, q, math::detail::real_zeta);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The Hurwitz zeta function of x at q, element by element. Floats; operands and result have one type, one operand may
// be a number.
constexpr auto zeta(auto&& x, auto&& q, elementwise_check<ops::zeta{}, decltype(x), decltype(q)> = {}) {
  return apply_elementwise<ops::zeta{}>(static_cast<decltype(x)>(x), static_cast<decltype(q)>(q));
}

}  // namespace tenon
