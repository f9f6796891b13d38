// SPDX-License-Identifier: Apache-2.0
#pragma once

// The logarithm of the gamma function, its derivatives, and Hurwitz's zeta function.

#include <tenon/math/function_of_one.hpp>
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

constexpr double nearest_integer(double x) {
  if (ieee::magnitude(x) >= no_fraction) return x;
  const double anchor = ieee::with_sign_of(no_fraction, x);
  return ieee::subtract(ieee::add(x, anchor), anchor);
}
constexpr bool is_integer(double x) { return ieee::is_finite(x) && ieee::equal(nearest_integer(x), x); }
constexpr bool is_even(double integer) { return is_integer(integer / 2); }

// Bernoulli's numbers B(2), B(4), ..., are these fractions.
inline constexpr double numerators[] = {
    1, -1, 1, -1, 5, -691, 7, -3617, 43867, -174611, 854513, -236364091, 8553103, -23749461029, 8615841276005};
inline constexpr double denominators[] = {6, 30, 42, 30, 66, 2730, 6, 510, 798, 330, 138, 2730, 6, 870, 14322};
// Stirling's series: the sum of B(2k) / (2k (2k - 1)) square^(k - 1), and, for its derivative, of B(2k) / 2k.
template <class Number>
constexpr Number stirling_series(Number square, int terms, bool derivative) {
  Number sum = 0;
  for (int k = terms; k > 0; --k)
    sum = sum * square + Number(numerators[k - 1]) / Number(denominators[k - 1] * 2 * k * (derivative ? 1 : 2 * k - 1));
  return sum;
}

// log(gamma(x)) for 0 < x < 2^100, to more digits than an f64 has: Stirling's series, where x is brought above 10 by
// gamma(x + 1) = x gamma(x).
constexpr long_float long_lgamma(long_float x) {
  long_float factor = 1;
  while (x.high < 10) factor = factor * x, x = x + 1;
  const long_float half_log_of_circle(0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55);
  const long_float series = stirling_series(1 / (x * x), 10, false) / x;
  const long_float result = (x - 0.5) * long_logarithm(x) - x + half_log_of_circle + series;
  return factor.high == 1 && factor.low == 0 ? result : result - long_logarithm(factor);
}

// sin(pi x) and cos(pi x) for |x| <= 1/2, not 0
constexpr circular_functions circular_of_turn(double x) {
  const long_float angle = long_pi * x;
  const circular_functions at = longest_circular(angle.high);
  return {at.sine + at.cosine * angle.low, at.cosine - at.sine * angle.low};
}

// log(|gamma(x)|) and digamma(x), about their zeros, where the terms cancel more digits than a long_float has.
constexpr fixed_point longest_lgamma(fixed_point x) {
  fixed_point factor = 1;
  for (; x.value() < 32; x = x + 1) factor = factor * x;
  const fixed_point half_log_of_circle =
      fixed_point(0x1.d67f1c864beb5p-1) + -0x1.65b5a1b7ff5dfp-55 + -0x1.b7f70c13dc1ccp-110;
  const fixed_point series = stirling_series(1 / (x * x), 15, false) / x;
  if (factor.value() < 0) factor = -factor;
  return (x - 0.5) * longest_logarithm(x) - x + half_log_of_circle + series - longest_logarithm(factor);
}
constexpr fixed_point longest_digamma(fixed_point x) {
  fixed_point below = 0;
  for (; x.value() < 32; x = x + 1) below = below + 1 / x;
  const fixed_point square = 1 / (x * x);
  return longest_logarithm(x) - 0.5 / x - square * stirling_series(square, 15, true) - below;
}

// The derivative of log(gamma(x)) for 0 < x < 2^100.
constexpr long_float long_digamma(long_float x) {
  long_float below = 0;
  while (x.high < 10) below = below + 1 / x, x = x + 1;
  const long_float square = 1 / (x * x);
  return long_logarithm(x) - (1 / x).scaled(0.5) - square * stirling_series(square, 10, true) - below;
}

// A result below this takes the functions of a fixed point.
inline constexpr double cancelled = 0x1p-9;

constexpr double real_lgamma(double x) {
  if (ieee::is_nan(x)) return nan;
  if (ieee::is_infinite(x) || (x <= 0 && is_integer(x))) return infinity;
  if (ieee::magnitude(x) < 0x1p-60) return -long_logarithm(ieee::magnitude(x)).value();
  if (x > 0x1p+100) return ieee::multiply(x, (long_logarithm(x) - 1).value());
  long_float result;
  if (x > 0) {
    result = long_lgamma(x);
  } else {
    // gamma(x) gamma(1 - x) = pi / sin(pi x)
    const long_float sine = circular_of_turn(ieee::magnitude(x - nearest_integer(x))).sine;
    const long_float log_of_pi(0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57);
    result = log_of_pi - long_logarithm(sine) - long_lgamma(long_float::sum(1, -x));
  }
  return ieee::magnitude(result.high) < cancelled ? longest_lgamma(x).value() : result.value();
}

// The poles below 0 have no value.
constexpr double real_digamma(double x) {
  if (ieee::is_nan(x) || (x < 0 && (ieee::is_infinite(x) || is_integer(x)))) return nan;
  if (ieee::magnitude(x) < 0x1p-60) return ieee::divide(-1.0, x);
  if (x > 0x1p+60) return ieee::is_infinite(x) ? x : long_logarithm(x).value();
  if (x > 0) {
    const double result = long_digamma(x).value();
    return ieee::magnitude(result) < cancelled ? longest_digamma(x).value() : result;
  }
  // digamma(1 - x) - digamma(x) = pi cot(pi x)
  const double fraction = x - nearest_integer(x);
  const long_float above = long_digamma(long_float::sum(1, -x));
  circular_functions angle = long_circular(long_pi * fraction);
  double result = (above - long_pi * (angle.cosine / angle.sine)).value();
  if (ieee::magnitude(result) > above.high / 4) return result;
  angle = circular_of_turn(fraction);
  result = (above - long_pi * (angle.cosine / angle.sine)).value();
  if (ieee::magnitude(result) >= cancelled) return result;
  const fixed_point y = fraction;
  return (longest_digamma(1 - fixed_point(x)) - longest_digamma(1 - y) + longest_digamma(y)).value();
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
  const double rest = lanes::detail::sum_from(one_tag, one_double{x}, one_double{a}).raw;
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

inline constexpr function_of_one lgamma{[](auto d, auto x) { return lanes::lgamma(d, x, detail::real_lgamma); }};
inline constexpr function_of_one digamma{[](auto d, auto x) { return lanes::digamma(d, x, detail::real_digamma); }};
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
