// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/function_of_one.hpp>
#include <tenon/math/lanes/complex_root.hpp>
#include <tenon/math/lanes/root.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

// The magnitude of finite z that is not zero, and of the parts of its square root: major is the larger one, the real
// part if z is in the right half plane.
struct complex_root {
  scaled_float major, minor, magnitude;
};
constexpr complex_root long_square_root(complex_double z) {
  complex_root result;
  const scaled_float square = squared_magnitude(z);
  result.magnitude = {square_root(square.value), square.exponent};
  const int odd = square.exponent & 1;
  const long_float twice = result.magnitude.value + ieee::magnitude(scale(z.real, -square.exponent));
  result.major = {square_root(twice.scaled(odd == 0 ? 0.5 : 1.0)), (square.exponent - odd) / 2};
  result.minor = split(ieee::magnitude(z.imag)) / scaled_float{result.major.value, result.major.exponent + 1};
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
  const double major = root.major.rounded(), minor = root.minor.rounded();
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
  const double major = (root.major / root.magnitude).rounded(), minor = (root.minor / root.magnitude).rounded();
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
  if (z.imag == 0 && z.real > 0) return {lanes::cbrt(one_tag, one_double{z.real}).raw, z.imag};
  // Near the positive real axis: the angle would be too small a number.
  if (z.real > 0 && scale(ieee::magnitude(z.imag), 60) < z.real) {
    const double root = lanes::cbrt(one_tag, one_double{z.real}).raw;
    const scaled_float slope = split(z.imag) / (split(root) * split(root) * scaled_float{3});
    return {root, slope.rounded()};
  }
  const scaled_float square = squared_magnitude(z);
  const int third = (square.exponent + 3 * 400) / 3 - 400;
  const long_float size = square_root(square.value).scaled(ieee::power_of_two<double>(square.exponent - 3 * third));
  long_float root = lanes::cbrt(one_tag, one_double{size.high}).raw;
  root = root - (root * root * root - size) / (root * root * 3);
  return {(scaled_float{root * angle.cosine, third}).rounded(), (scaled_float{root * angle.sine, third}).rounded()};
}

}  // namespace detail

template <binary_float T>
constexpr T sqrt(T x) {
  return ieee::square_root(x);
}

inline constexpr function_of_one rsqrt{[](auto d, auto x) { return lanes::rsqrt(d, x); }, detail::rsqrt_of};
inline constexpr function_of_one cbrt{[](auto d, auto x) { return lanes::cbrt(d, x); }, detail::cbrt_of};

template <binary_float T>
constexpr complex<T> sqrt(complex<T> z) {
  return lanes::complex_function_of_one<lanes::square_root_kernel>(detail::sqrt_of, z);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
