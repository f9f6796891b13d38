// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/lanes/root.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

// The square root of z, divided by 2^exponent, and |z|, divided by 4^exponent; z is finite and not zero.
struct complex_root {
  long_float major, minor, magnitude;
  int exponent = 0;
};
// major + i |minor|, or the other way around if z is in the left half plane.
constexpr complex_root long_square_root(complex_double z) {
  complex_root result;
  const scaled_float square = squared_magnitude(z);
  result.exponent = square.exponent >= 0 ? square.exponent / 2 : (square.exponent - 1) / 2;
  const int rest = square.exponent - 2 * result.exponent;
  result.magnitude = square_root(square.value).scaled(rest == 0 ? 1.0 : 2.0);
  const double x = scale(z.real, -2 * result.exponent), y = scale(z.imag, -2 * result.exponent);
  result.major = square_root((result.magnitude + ieee::magnitude(x)).scaled(0.5));
  result.minor = long_float(ieee::magnitude(y)) / result.major.scaled(2);
  return result;
}

constexpr complex_double sqrt_of(complex_double z) {
  if (ieee::is_infinite(z.imag)) return {infinity, z.imag};
  if (ieee::is_infinite(z.real)) {
    const double other = ieee::is_nan(z.imag) ? nan : 0.0;
    if (!ieee::is_negative(z.real)) return {infinity, ieee::with_sign_of(other, z.imag)};
    return {other, ieee::with_sign_of(infinity, z.imag)};
  }
  if (has_nan(z)) return {nan, nan};
  if (is_zero(z)) return {0, z.imag};
  const complex_root root = long_square_root(z);
  const double major = scale(root.major.value(), root.exponent), minor = scale(root.minor.value(), root.exponent);
  return ieee::is_negative(z.real) ? complex_double{minor, ieee::with_sign_of(major, z.imag)}
                                   : complex_double{major, ieee::with_sign_of(minor, z.imag)};
}

// conjugate(sqrt(z)) / |z|
constexpr complex_double rsqrt_of(complex_double z) {
  if (is_infinite(z)) return {0, ieee::with_sign_of(0.0, ieee::negate(z.imag))};
  if (has_nan(z)) return {nan, nan};
  // As the complex division of one by zero.
  if (is_zero(z)) return {infinity, nan};
  const complex_root root = long_square_root(z);
  const double major = scale((root.major / root.magnitude).value(), -root.exponent);
  const double minor = scale((root.minor / root.magnitude).value(), -root.exponent);
  return ieee::is_negative(z.real) ? complex_double{minor, ieee::with_sign_of(major, ieee::negate(z.imag))}
                                   : complex_double{major, ieee::with_sign_of(minor, ieee::negate(z.imag))};
}

// The root nearest to the positive real axis.
constexpr complex_double cbrt_of(complex_double z) {
  if (has_nan(z) && !is_infinite(z)) return {nan, nan};
  if (is_zero(z)) return z;
  const circular_functions angle = long_circular(long_angle(z.imag, z.real) / 3);
  if (is_infinite(z)) {
    if (has_nan(z)) return {nan, nan};
    return {infinity, angle.sine.high == 0 ? z.imag : ieee::with_sign_of(infinity, angle.sine.high)};
  }
  const scaled_float square = squared_magnitude(z);
  const int third = (square.exponent + 3 * 400) / 3 - 400;
  const long_float size = square_root(square.value).scaled(ieee::power_of_two<double>(square.exponent - 3 * third));
  long_float root = lanes::cbrt(one_tag, one_double{size.high}).raw;
  root = root - (root * root * root - size) / (root * root * 3);
  return {scale((root * angle.cosine).value(), third), scale((root * angle.sine).value(), third)};
}

}  // namespace detail

template <binary_float T>
constexpr T sqrt(T x) {
  return ieee::square_root(x);
}

template <binary_float T>
constexpr T rsqrt(T x) {
  return lanes::rsqrt(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T cbrt(T x) {
  return lanes::cbrt(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr complex<T> sqrt(complex<T> z) {
  return detail::in_double(detail::sqrt_of, z);
}

template <binary_float T>
constexpr complex<T> rsqrt(complex<T> z) {
  return detail::in_double(detail::rsqrt_of, z);
}

// The root nearest to the positive real axis.
template <binary_float T>
constexpr complex<T> cbrt(complex<T> z) {
  return detail::in_double(detail::cbrt_of, z);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
