// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/error_function.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

constexpr double real_erf(double x) { return lanes::erf(one_tag, one_double{x}).raw; }

// 1 - erf(x) for x >= 1/4: e^-x^2 / (1 + 2 x) times a function of (x - 4) / (x + 4) that hardly varies.
constexpr double upper_erfc(double x) {
  if (x > 28) return 0;
  const long_float square = long_float::product(x, x), sum = long_float::sum(x, 4);
  const double t = (x - 4) / sum.value();
  const double value =
      lanes::polynomial(one_tag, one_double{t}, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fd4adp-7,
                        0x1.16ecefcfa54c9p-4, -0x1.9ddb23c3e7770p-4, 0x1.7fee004e0f9a1p-4, -0x1.0fb06dfe72a82p-4,
                        0x1.3079edf6d8bfcp-5, -0x1.0962387c63403p-6, 0x1.49c67270c45f5p-8, -0x1.8d4aa271e3572p-11,
                        -0x1.a1df1ac03ddd7p-13, 0x1.3be0e55a3b2b3p-13, -0x1.9959ad52f9fe9p-16, -0x1.78a5f18c294d9p-17,
                        0x1.7f21491dc6c99p-18, 0x1.420a3aa846403p-22, -0x1.b9eddb93dae20p-21, 0x1.1ea5dfe9d09a9p-24,
                        0x1.c7d37751a216ep-24, -0x1.a0caafa4fac77p-27, -0x1.6cec974fe83a6p-27)
          .raw;
  const scaled_float power = long_exponential(-square);
  return scaled_float{power.value * value / long_float::sum(1, 2 * x), power.exponent}.rounded();
}

constexpr double real_erfc(double x) {
  if (ieee::is_nan(x)) return nan;
  const double size = ieee::magnitude(x);
  if (size >= 0.25) return x > 0 ? upper_erfc(x) : 2 - upper_erfc(size);
  if (size < 0x1p-60) return 1;
  const double rest = x * lanes::detail::error_function_constants<double>::ratio(one_tag, one_double{x * x}).raw;
  const long_float first = long_float::sum(1, -x);
  return first.high + (first.low - rest);
}

// Where erf is x: first from a formula that is good to two or three digits, then by Halley's method, which triples
// them. Nearer to 1 than to 0 the equation is that of 1 - erf, whose right-hand side 1 - |x| is exact.
constexpr double real_erf_inv(double x) {
  const double size = ieee::magnitude(x);
  if (!ieee::less_or_equal(size, 1.0)) return nan;
  if (size == 1) return ieee::with_sign_of(infinity, x);
  const long_float slope(0x1.c5bf891b4ef6bp-1, -0x1.618f13eb7ca89p-55);  // sqrt(pi) / 2
  if (size < 0x1p-28) return ieee::multiply(x, slope.high);
  const double log =
      lanes::log_plus_one(one_tag, one_double{-size}).raw + lanes::log_plus_one(one_tag, one_double{size}).raw;
  const double a = 0.147, half = 2 / (0x1.921fb54442d18p+1 * a) + log / 2;
  double y = ieee::square_root(ieee::square_root(half * half - log / a) - half);
  for (int step = 0; step < 3; ++step) {
    const double difference = size < 0.5 ? real_erf(y) - size : (1 - size) - real_erfc(y);
    const double newton = difference * slope.high * lanes::exponential(one_tag, one_double{y * y}).raw;
    y -= newton / (1 + y * newton);
  }
  return ieee::with_sign_of(y, x);
}

}  // namespace detail

// The error function, 1 - erf(x) without its cancellation, and the inverse of erf.
template <binary_float T>
constexpr T erf(T x) {
  return lanes::erf(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}
template <binary_float T>
constexpr T erfc(T x) {
  return detail::in_double(detail::real_erfc, x);
}
template <binary_float T>
constexpr T erf_inv(T x) {
  return detail::in_double(detail::real_erf_inv, x);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
