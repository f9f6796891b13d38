// SPDX-License-Identifier: Apache-2.0
#pragma once

// The logarithm of the gamma function, its derivatives, and Hurwitz's zeta function.

#include <tenon/math/lanes/gamma.hpp>
#include <tenon/math/lanes/power.hpp>
#include <tenon/math/lanes/zeta.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>
#include <tenon/math/power.hpp>

#include <concepts>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

inline constexpr long_float long_pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
// Integers from here on are all that there is.
inline constexpr double no_fraction = 0x1p+52;

template <class... Coefficients>
constexpr double polynomial_at(double x, Coefficients... coefficients) {
  return lanes::polynomial(one_tag, one_double{x}, coefficients...).raw;
}
constexpr double nearest_integer(double x) {
  if (ieee::magnitude(x) >= no_fraction) return x;
  const double anchor = ieee::with_sign_of(no_fraction, x);
  return ieee::subtract(ieee::add(x, anchor), anchor);
}
constexpr bool is_integer(double x) { return ieee::is_finite(x) && ieee::equal(nearest_integer(x), x); }
constexpr bool is_even(double integer) { return is_integer(integer / 2); }

// log(gamma(1 + x)) for |x| <= 1/64, by the powers of x: the coefficients are (-1)^k zeta(k) / k.
constexpr double lgamma_near_1(double x) {
  const double rest = polynomial_at(x, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab2d7p-2, 0x1.151322ac7d848p-2,
                                    -0x1.a8b9c17aa6149p-3, 0x1.5b40cb100c306p-3, -0x1.2703a1dcea3aep-3,
                                    0x1.010b36af86397p-3, -0x1.c806706d57db4p-4, 0x1.9a01e385d5f8fp-4);
  return (long_float::product(x, -0x1.2788cfc6fb619p-1) + x * 0x1.6cb90701fbfabp-58 + x * x * rest).value();
}
// log(gamma(2 + x)) for |x| <= 1/64: log(1 + x) more, whose powers take 1 from each zeta(k).
constexpr double lgamma_near_2(double x) {
  const double rest = polynomial_at(x, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4, 0x1.51322ac7d8483p-6,
                                    -0x1.e404fc218f5f2p-8, 0x1.7add6eadb6c30p-9, -0x1.38ac5c2bf8e08p-10,
                                    0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13, 0x1.a127b0f17d65ap-14);
  return (long_float::product(x, 0x1.b0ee6072093cep-2) + x * 0x1.6cb90701fbfabp-58 + x * x * rest).value();
}

// log(gamma(x)) for 0 < x < 2^1000, to more digits than an f64 has: Stirling's series, where x is brought above 10 by
// gamma(x + 1) = x gamma(x).
constexpr long_float long_lgamma(long_float x) {
  long_float factor = 1;
  while (x.high < 10) factor = factor * x, x = x + 1;
  const long_float log = long_logarithm(x);
  const double inverse = 1 / x.high, square = inverse * inverse;
  const double series =
      x.high > 1e10 ? inverse / 12
                    : inverse * polynomial_at(square, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9,
                                              0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11,
                                              -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8, -0x1.e4286cb0f5398p-6,
                                              0x1.6fe96381e0680p-3, -0x1.6476701181f3ap+0);
  const long_float half_log_of_circle(0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55);
  const long_float result = (x - 0.5) * log - x + half_log_of_circle + series;
  return factor.high == 1 && factor.low == 0 ? result : result - long_logarithm(factor);
}

// sin(pi x) and cos(pi x) for |x| <= 1/2, not 0
constexpr circular_functions long_circular_of_turn(double x) { return long_circular(long_pi * x); }

constexpr double real_lgamma(double x) {
  if (ieee::is_nan(x)) return nan;
  if (ieee::is_infinite(x)) return infinity;
  if (x > 0) {
    if (ieee::magnitude(x - 1) <= 0x1p-6) return lgamma_near_1(x - 1);
    if (ieee::magnitude(x - 2) <= 0x1p-6) return lgamma_near_2(x - 2);
    if (x < 0x1p-60) return -long_logarithm(x).value();
    if (x < 0x1p+100) return long_lgamma(x).value();
    return ieee::multiply(x, (long_logarithm(x) - 1).value());
  }
  if (is_integer(x)) return infinity;
  // gamma(x) gamma(1 - x) = pi / sin(pi x)
  if (x > -0x1p-60) return -long_logarithm(-x).value();
  const double fraction = x - nearest_integer(x);
  long_float sine = long_circular_of_turn(fraction).sine;
  if (sine.high < 0) sine = -sine;
  const long_float log_of_pi(0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57);
  return (log_of_pi - long_logarithm(sine) - long_lgamma(long_float::sum(1, -x))).value();
}

// The derivative of log(gamma(x)) for 0 < x < 2^1000.
constexpr long_float long_digamma(long_float x) {
  long_float below = 0;
  while (x.high < 10) below = below + 1 / x, x = x + 1;
  const double inverse = 1 / x.high, square = inverse * inverse;
  const double series = x.high > 1e10
                            ? 0
                            : square * polynomial_at(square, 0x1.5555555555555p-4, -0x1.1111111111111p-7,
                                                     0x1.0410410410410p-8, -0x1.1111111111111p-8, 0x1.f07c1f07c1f08p-8,
                                                     -0x1.5995995995996p-6, 0x1.5555555555555p-4, -0x1.c5e5e5e5e5e5ep-2,
                                                     0x1.86e7f9b9fe6e8p+1, -0x1.a74ca514ca515p+4);
  return long_logarithm(x) - (1 / x).scaled(0.5) - series - below;
}

// Its poles have no value: 0 and the negative integers.
constexpr double real_digamma(double x) {
  if (ieee::is_nan(x) || (ieee::is_infinite(x) && x < 0)) return nan;
  if (ieee::is_infinite(x)) return x;
  if (x > 0x1p+60) return long_logarithm(x).value();
  if (x > 0) return x < 0x1p-60 ? ieee::divide(-1.0, x) : long_digamma(x).value();
  if (is_integer(x)) return nan;
  if (x > -0x1p-60) return ieee::divide(-1.0, x);
  // digamma(1 - x) - digamma(x) = pi cot(pi x)
  const circular_functions angle = long_circular_of_turn(x - nearest_integer(x));
  return (long_digamma(long_float::sum(1, -x)) - long_pi * (angle.cosine / angle.sine)).value();
}

// The sum of (q + n)^-x over n = 0, 1, 2, ..., for x > 1 and 0 < q: the first terms one by one, then Euler's and
// Maclaurin's formula, by which the rest is an integral and the derivatives at its end.
constexpr long_float zeta_of_positive(double x, double q) {
  if (ieee::is_infinite(q)) return 0;
  long_float sum = 0;
  double a = q;
  for (; a < 10 + x; a += 1) {
    const double term = math::power(a, -x);
    if (!ieee::is_finite(term)) return term;
    sum = sum + term;
    if (term <= sum.high * 0x1p-70) return sum;
  }
  constexpr double coefficients[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                     -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                     0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                     -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63};
  const double inverse = 1 / a;
  double factor = x * inverse, derivatives = 0;
  for (int k = 0; k < 12; ++k) {
    derivatives += ieee::multiply(coefficients[k], factor);
    factor = ieee::multiply(ieee::multiply(factor, (x + 2 * k + 1) * inverse), (x + 2 * k + 2) * inverse);
  }
  const double rest = (long_float(a / (x - 1)) + 0.5 + derivatives).value();
  return sum + ieee::multiply(math::power(a, -x), rest);
}

// Where q + n vanishes there is a pole, which has a side only if x is even; negative numbers have powers only if x is
// an integer.
constexpr double real_zeta(double x, double q) {
  if (ieee::is_nan(x) || ieee::is_nan(q)) return nan;
  if (x == 1) return infinity;
  // Poles count before x does, and -infinity as one, as in XLA.
  if (q <= 0 && (ieee::is_infinite(q) || is_integer(q))) return is_even(x) ? infinity : nan;
  if (x < 1 || (q <= 0 && !is_integer(x))) return nan;
  if (q > 0) return zeta_of_positive(x, q).value();
  // The terms on either side of 0; those of q - 1, q - 2, ... do not belong to the sum.
  const double fraction = ieee::less(q, nearest_integer(q)) ? q - nearest_integer(q) + 1 : q - nearest_integer(q);
  if (fraction == 1) return is_even(x) ? infinity : nan;
  const long_float above = zeta_of_positive(x, fraction), below = zeta_of_positive(x, 1 - fraction);
  if (!ieee::is_finite(above.high)) return above.high;
  if (!ieee::is_finite(below.high)) return is_even(x) ? below.high : -below.high;
  const long_float negative = below - zeta_of_positive(x, 1 - q);
  return (is_even(x) ? above + negative : above - negative).value();
}

// The n-th derivative of digamma, for natural n: (-1)^(n + 1) n! zeta(n + 1, x).
constexpr double real_polygamma(double n, double x) {
  if (!is_integer(n) || n < 0) return nan;
  if (n == 0) return real_digamma(x);
  double factorial = 1;
  for (double i = 2; i <= n && ieee::is_finite(factorial); i += 1) factorial = ieee::multiply(factorial, i);
  const double result = ieee::multiply(factorial, real_zeta(n + 1, x));
  return is_even(n) ? ieee::negate(result) : result;
}

}  // namespace detail

template <binary_float T>
constexpr T lgamma(T x) {
  return lanes::lgamma(one_lane::tag<T>(), one_lane::lane<T>{x}, detail::real_lgamma).raw;
}
template <binary_float T>
constexpr T digamma(T x) {
  return lanes::digamma(one_lane::tag<T>(), one_lane::lane<T>{x}, detail::real_digamma).raw;
}
template <binary_float T>
constexpr T zeta(T x, T q) {
  if constexpr (std::same_as<T, double>)
    return detail::real_zeta(x, q);
  else
    return lanes::zeta(one_lane::tag<T>(), one_lane::lane<T>{x}, one_lane::lane<T>{q}, detail::real_zeta).raw;
}
template <binary_float T>
constexpr T polygamma(T n, T x) {
  if constexpr (std::same_as<T, double>)
    return detail::real_polygamma(n, x);
  else
    return lanes::polygamma(one_lane::tag<T>(), one_lane::lane<T>{n}, one_lane::lane<T>{x}, detail::real_polygamma).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
