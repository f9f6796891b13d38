// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inverse trigonometric and hyperbolic functions. They are no ops of the specification, but of CHLO.

#include <tenon/core/complex.hpp>
#include <tenon/math/function_of_one.hpp>
#include <tenon/math/lanes/inverse.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/lanes/trigonometric.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

inline constexpr double half_turn = 0x1.921fb54442d18p+1, quarter_turn = 0x1.921fb54442d18p+0;

// Below this the inverse functions are the identity, above twice its inverse their asymptotes.
inline constexpr double nearly_zero = 0x1p-28, nearly_infinite = 0x1p+54;

constexpr double arctangent(double y, double x) { return lanes::atan2(one_tag, one_double{y}, one_double{x}).raw; }

// log(2 |z|)
constexpr double logarithm_of_twice(complex_double z) {
  if (is_infinite(z)) return infinity;
  return (long_logarithm_of_magnitude(z) + long_float(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)).value();
}

// |z| for parts of ordinary size, zeros included.
constexpr long_float long_magnitude(long_float x, double y) { return square_root(x * x + long_float::product(y, y)); }

// The common part of asin and acos of x + i y, for x >= 0, y >= 0 of ordinary size. With r = |z + 1|, s = |z - 1| and
// a = (r + s) / 2 (Hull, Fairgrieve and Tang): the real part of asin(z) is the angle of (opposite, x), the imaginary
// part acosh(a). All sums are of positive numbers.
struct inverse_sine_parts {
  double opposite = 0, imag = 0;
};
constexpr inverse_sine_parts inverse_sine(double x, double y) {
  const long_float above = long_float::sum(x, 1), below = long_float::sum(x, -1);
  const long_float r = long_magnitude(above, y), s = x == 1 ? long_float(y) : long_magnitude(below, y);
  const long_float a = (r + s).scaled(0.5);
  if (x == 1 && y == 0) return {};
  inverse_sine_parts result;
  if (x < 1) {
    // a - 1 = y^2 share
    const long_float share = (1 / (r + above) + 1 / (s - below)).scaled(0.5);
    const long_float rest = (long_float::product(y, y) / (r + above) + (s - below)).scaled(0.5);
    result.opposite = square_root((a + x) * rest).value();
    result.imag = logarithm_plus_one(y * (y * share + square_root(share * (a + 1))));
  } else if (x == 1) {
    // Halving y itself could underflow.
    const long_float twice = long_float::product(y, y) / (r + above) + y;
    const long_float root = square_root(twice * (a + 1).scaled(0.5));
    result.opposite = root.value();
    result.imag = logarithm_plus_one(twice.scaled(0.5) + root);
  } else {
    // a - x = y^2 share
    const long_float share = (1 / (r + above) + 1 / (s + below)).scaled(0.5);
    const long_float excess = (long_float::product(y, y) / (r + above) + (s + below)).scaled(0.5);
    result.opposite = (y * square_root(share * (a + x))).value();
    result.imag = logarithm_plus_one(excess + square_root(excess * (a + 1)));
  }
  return result;
}

constexpr complex_double asin_of(complex_double z) {
  const double x = ieee::magnitude(z.real), y = ieee::magnitude(z.imag);
  complex_double result;
  if (has_nan(z)) {
    if (ieee::is_infinite(y)) return {nan, z.imag};
    if (ieee::is_infinite(x)) return {nan, infinity};
    return {ieee::equal(x, 0.0) ? z.real : nan, nan};
  }
  if (x < nearly_zero && y < nearly_zero) return z;
  if (x > nearly_infinite || y > nearly_infinite) {
    result = {arctangent(x, y), logarithm_of_twice(z)};
  } else {
    const inverse_sine_parts parts = inverse_sine(x, y);
    result = {arctangent(x, parts.opposite), parts.imag};
  }
  return {ieee::with_sign_of(result.real, z.real), ieee::with_sign_of(result.imag, z.imag)};
}

constexpr complex_double acos_of(complex_double z) {
  const double x = ieee::magnitude(z.real), y = ieee::magnitude(z.imag);
  if (has_nan(z)) {
    if (ieee::is_infinite(y)) return {nan, ieee::negate(z.imag)};
    if (ieee::is_infinite(x)) return {nan, infinity};
    return {ieee::equal(x, 0.0) ? quarter_turn : nan, nan};
  }
  complex_double result;
  if (x > nearly_infinite || y > nearly_infinite) {
    result = {arctangent(y, z.real), logarithm_of_twice(z)};
  } else {
    const inverse_sine_parts parts = inverse_sine(x, y);
    result = {arctangent(parts.opposite, z.real), x < nearly_zero && y < nearly_zero ? y : parts.imag};
  }
  return {result.real, ieee::with_sign_of(result.imag, ieee::negate(z.imag))};
}

// 4 x / ((1 - x)^2 + y^2) = e^(4 real) - 1, and twice the imaginary part is the angle of (1 - x^2 - y^2, 2 y).
constexpr complex_double atanh_of(complex_double z) {
  const double x = ieee::magnitude(z.real), y = ieee::magnitude(z.imag);
  complex_double result;
  if (has_nan(z)) {
    if (ieee::is_infinite(x)) return {ieee::with_sign_of(0.0, z.real), nan};
    if (ieee::is_infinite(y)) return {ieee::with_sign_of(0.0, z.real), ieee::with_sign_of(quarter_turn, z.imag)};
    return {ieee::equal(x, 0.0) ? z.real : nan, nan};
  }
  if (x > nearly_infinite || y > nearly_infinite) {
    result = {0, quarter_turn};
    if (!is_infinite(z) && x != 0) {
      const scaled_float square = squared_magnitude(z);
      result.real = scaled_float{scale(x, -square.exponent) / square.value, -square.exponent}.rounded();
    }
  } else if (x < nearly_zero && y < nearly_zero) {
    return z;
  } else if (x == 1 && y < nearly_zero) {
    const double real =
        y == 0 ? infinity : ((long_float(0x1.62e42fefa39efp-1) - long_logarithm(y)).scaled(0.5)).value();
    result = {real, y == 0 ? 0 : quarter_turn / 2 + y / 4};
  } else {
    const long_float below = long_float::sum(1, -x), above = long_float::sum(1, x);
    const long_float square = long_float::product(y, y);
    const double growth = logarithm_plus_one(long_float(4 * x) / (below * below + square));
    result = {growth / 4, arctangent(2 * y, (below * above - square).value()) / 2};
  }
  return {ieee::with_sign_of(result.real, z.real), ieee::with_sign_of(result.imag, z.imag)};
}

// asinh(z) = -i asin(i z), atan(z) = -i atanh(i z)
constexpr complex_double asinh_of(complex_double z) { return of_turned(asin_of, z); }
constexpr complex_double atan_of(complex_double z) { return of_turned(atanh_of, z); }
// acosh(z) = i acos(z) or -i acos(z), whichever has a positive real part.
constexpr complex_double acosh_of(complex_double z) {
  const complex_double angle = acos_of(z);
  return {ieee::magnitude(angle.imag), ieee::with_sign_of(angle.real, z.imag)};
}

}  // namespace detail

inline constexpr function_of_one asin{[](auto d, auto x) { return lanes::asin(d, x); }, detail::asin_of};
inline constexpr function_of_one acos{[](auto d, auto x) { return lanes::acos(d, x); }, detail::acos_of};
inline constexpr function_of_one atan{[](auto d, auto x) { return lanes::atan(d, x); }, detail::atan_of};
inline constexpr function_of_one asinh{[](auto d, auto x) { return lanes::asinh(d, x); }, detail::asinh_of};
inline constexpr function_of_one acosh{[](auto d, auto x) { return lanes::acosh(d, x); }, detail::acosh_of};
inline constexpr function_of_one atanh{[](auto d, auto x) { return lanes::atanh(d, x); }, detail::atanh_of};

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
