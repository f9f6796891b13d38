// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/lanes/complex_root.hpp>
#include <tenon/math/lanes/rounding.hpp>
#include <tenon/math/long_float.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

using complex_double = complex<double>;

inline constexpr double nan = ieee::nan<double>, infinity = ieee::infinity<double>;

constexpr bool is_finite(complex_double z) { return ieee::is_finite(z.real) && ieee::is_finite(z.imag); }
constexpr bool is_infinite(complex_double z) { return ieee::is_infinite(z.real) || ieee::is_infinite(z.imag); }
constexpr bool has_nan(complex_double z) { return ieee::is_nan(z.real) || ieee::is_nan(z.imag); }
constexpr bool is_zero(complex_double z) { return ieee::equal(z.real, 0.0) && ieee::equal(z.imag, 0.0); }

using ieee::narrow;

// f(z...), computed in f64: for f32 that leaves room for squares and for lost digits.
template <class F, class... Operands>
constexpr auto in_double(F f, complex<Operands>... z) {
  const auto result = f(complex_double{double(z.real), double(z.imag)}...);
  if constexpr ((std::same_as<Operands, double> && ...))
    return result;
  else if constexpr (std::same_as<decltype(result), const double>)
    return narrow(result);
  else
    return complex<float>{narrow(result.real), narrow(result.imag)};
}

// -i f(i z)
constexpr complex_double of_turned(complex_double (*f)(complex_double), complex_double z) {
  const complex_double turned = f({ieee::negate(z.imag), z.real});
  return {turned.imag, ieee::negate(turned.real)};
}

// The square of |z| 2^-exponent, for finite z that is not zero; between 1 and 8.
constexpr scaled_float squared_magnitude(complex_double z) {
  const double x = ieee::magnitude(z.real), y = ieee::magnitude(z.imag);
  const double large = x < y ? y : x, lesser = x < y ? x : y;
  const int exponent = ieee::exponent_of(large);
  const double a = scale(large, -exponent), b = scale(lesser, -exponent);
  return {long_float::product(a, a) + long_float::product(b, b), exponent};
}

constexpr double magnitude(complex_double z) {
  if (is_infinite(z)) return infinity;
  if (has_nan(z)) return nan;
  if (is_zero(z)) return 0;
  const scaled_float square = squared_magnitude(z);
  return scale(square_root(square.value).value(), square.exponent);
}

constexpr complex_double magnitude_of(complex_double z) { return {magnitude(z), 0}; }

// z / |z|
constexpr complex_double direction(complex_double z) {
  if (has_nan(z) || is_infinite(z)) return {nan, nan};
  if (is_zero(z)) return {0, 0};
  const scaled_float square = squared_magnitude(z);
  const long_float size = square_root(square.value);
  return {(scale(z.real, -square.exponent) / size).value(), (scale(z.imag, -square.exponent) / size).value()};
}

}  // namespace detail

template <binary_float T>
constexpr T abs(T x) {
  return ieee::magnitude(x);
}
template <binary_float T>
constexpr T abs(complex<T> z) {
  return lanes::complex_function_of_one<lanes::magnitude_kernel>(detail::magnitude_of, z).real;
}

template <binary_float T>
constexpr T sign(T x) {
  return lanes::sign(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}
// z / |z|, zero for zero.
template <binary_float T>
constexpr complex<T> sign(complex<T> z) {
  return detail::in_double(detail::direction, z);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
