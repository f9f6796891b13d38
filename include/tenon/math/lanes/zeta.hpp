// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hurwitz's zeta function and the derivatives of digamma for f32; those of f64 are computed one by one.

#include <tenon/math/lanes/in_f64.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/lanes/rounding.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

// The larger parts are functions that are called: GCC takes time by the square of what is inlined into one function.

// a^-x
template <class D, class V>
HWY_NOINLINE constexpr V inverse_power(D d, V a, V x) {
  return short_exponential(d, limit(d, product(Neg(x), log(d, a)), -690.0, 690.0));
}

// Euler's and Maclaurin's formula: the sum of (a + n)^-x over n = 0, 1, 2, ..., divided by a^-x, for a >= 10.
template <class D, class V>
HWY_NOINLINE constexpr V sum_from(D d, V x, V a) {
  constexpr double coefficients[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                     -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                     0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                     -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63};
  const V inverse = Div(Set(d, 1.0), a);
  V factor = product(x, inverse), derivatives = Zero(d);
  for (int k = 0; k < 12; ++k) {
    derivatives = multiply_add(d, Set(d, coefficients[k]), factor, derivatives);
    const V first = product(Add(x, Set(d, double(2 * k + 1))), inverse);
    const V second = product(Add(x, Set(d, double(2 * k + 2))), inverse);
    factor = product(factor, product(first, second));
  }
  return Add(Add(Div(a, Sub(x, Set(d, 1.0))), Set(d, 0.5)), derivatives);
}

// For 1 < x <= 24 and 0 < q < 2^36, but where q^-x leaves the range of f64.
template <class D, class V, class M>
HWY_NOINLINE constexpr V usual_zeta(D d, V x, V q, M& usual) {
  const V one = Set(d, 1.0);
  usual = And(And(Gt(x, one), Le(x, Set(d, 24.0))), And(Gt(q, Zero(d)), Lt(q, Set(d, 0x1p+36))));
  V sum = inverse_power(d, q, x), a = Add(q, one);
  usual = And(usual, Lt(sum, Set(d, 0x1p+900)));
  for (int n = 1; n < 10; ++n) {
    sum = Add(sum, inverse_power(d, a, x));
    a = Add(a, one);
  }
  return multiply_add(d, inverse_power(d, a, x), sum_from(d, x, a), sum);
}

// (-1)^(n + 1) n! zeta(n + 1, x) for n = 1 ... 20
template <class D, class V, class M>
HWY_NOINLINE constexpr V usual_polygamma(D d, V n, V x, M& usual) {
  V result = usual_zeta(d, Add(n, Set(d, 1.0)), x, usual);
  for (int i = 2; i <= 20; ++i) {
    const V factor = Set(d, double(i));
    result = IfThenElse(Le(factor, n), product(result, factor), result);
  }
  const V half = product(n, Set(d, 0.5));
  const auto is_even = Eq(round_nearest_even(d, half), half);
  usual = And(And(usual, Eq(round_nearest_even(d, n), n)), And(Ge(n, Set(d, 1.0)), Le(n, Set(d, 20.0))));
  return IfThenElse(is_even, Neg(result), result);
}

}  // namespace detail

// The sum of (q + n)^-x over n = 0, 1, 2, ...; rare(x, q) of two numbers in f64.
template <class D, class V, class Rare>
HWY_INLINE constexpr V zeta(D d, V x, V q, Rare rare) {
  if constexpr (one_by_one<D>) {
    return each_lane([=](auto one, auto a, auto b) { return zeta(one, a, b, rare); }, d, x, q);
  } else {
    const auto f = [=](auto wide, auto a, auto b) HWY_ATTR {
      auto usual = Eq(a, a);
      const auto result = detail::usual_zeta(wide, a, b, usual);
      return for_lanes(wide, Not(usual), result, a, b, rare);
    };
    return detail::in_f64(d, f, x, q);
  }
}

// The n-th derivative of digamma, likewise.
template <class D, class V, class Rare>
HWY_INLINE constexpr V polygamma(D d, V n, V x, Rare rare) {
  if constexpr (one_by_one<D>) {
    return each_lane([=](auto one, auto a, auto b) { return polygamma(one, a, b, rare); }, d, n, x);
  } else {
    const auto f = [=](auto wide, auto a, auto b) HWY_ATTR {
      auto usual = Eq(a, a);
      const auto result = detail::usual_polygamma(wide, a, b, usual);
      return for_lanes(wide, Not(usual), result, a, b, rare);
    };
    return detail::in_f64(d, f, n, x);
  }
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
