// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/function_of_one.hpp>
#include <tenon/math/lanes/complex_logarithm.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

constexpr double angle_of(complex_double z) {
  return lanes::atan2(one_tag, one_double{z.imag}, one_double{z.real}).raw;
}

// log(z), the real part in two parts, for finite z that is not zero.
constexpr long_float long_logarithm_of_magnitude(complex_double z) {
  const scaled_float square = squared_magnitude(z);
  // Where |z| is near one, the square less one keeps the digits that matter.
  if (square.exponent == 0 || square.exponent == -1) {
    const long_float real = long_float::product(z.real, z.real), imag = long_float::product(z.imag, z.imag);
    double terms[] = {real.low, imag.low, real.high, imag.high, -1};
    const long_float excess = exact_total(terms);
    if (ieee::magnitude(excess.high) < 0.5) return logarithm_plus_one(excess) / 2;
  }
  const long_float log_2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  return log_2 * square.exponent + long_logarithm(square.value).scaled(0.5);
}

constexpr complex_double log_of(complex_double z) {
  const double angle = angle_of(z);
  if (is_infinite(z)) return {infinity, angle};
  if (has_nan(z)) return {nan, nan};
  if (is_zero(z)) return {-infinity, angle};
  return {long_logarithm_of_magnitude(z).value(), angle};
}

constexpr complex_double log_plus_one_of(complex_double z) {
  if (!is_finite(z)) return log_of({ieee::add(z.real, 1.0), z.imag});
  const long_float real = long_float::sum(1, z.real);
  const double angle = angle_of({real.high, z.imag});
  const double x = ieee::magnitude(z.real), y = ieee::magnitude(z.imag);
  if (x < 3 && y < 3) {
    // |1 + z|^2 - 1 = 2 x + x^2 + y^2
    const long_float square = long_float::product(z.real, z.real), imag = long_float::product(z.imag, z.imag);
    double terms[] = {square.low, imag.low, square.high, imag.high, 2 * z.real};
    const long_float excess = exact_total(terms);
    if (ieee::magnitude(excess.high) < 0.5) return {logarithm_plus_one(excess) / 2, angle};
    if (is_zero({real.high, z.imag})) return {-infinity, angle};
  }
  return {long_logarithm_of_magnitude({real.high, z.imag}).value(), angle};
}

}  // namespace detail

template <binary_float T>
constexpr T log(T x) {
  return lanes::log(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

inline constexpr function_of_one log_plus_one{[](auto d, auto x) { return lanes::log_plus_one(d, x); },
                                              detail::log_plus_one_of};

template <binary_float T>
constexpr complex<T> log(complex<T> z) {
  return lanes::complex_function_of_one<lanes::logarithm_kernel>(detail::log_of, z);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
