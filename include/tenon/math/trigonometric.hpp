// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/divide.hpp>
#include <tenon/math/exponential.hpp>
#include <tenon/math/function_of_one.hpp>
#include <tenon/math/lanes/hyperbolic.hpp>
#include <tenon/math/lanes/trigonometric.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>
#include <tenon/math/root.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

// cosh(z) and sinh(z), for sine and cosine too. Zeros count as exact: zero times infinity is zero, as in C's Annex G.
constexpr complex_double hyperbolic_of(complex_double z, bool sinh) {
  const double x = z.real, y = z.imag;
  const double odd_sign = ieee::is_negative(x) && sinh ? -1.0 : 1.0,
               even_sign = ieee::is_negative(x) && !sinh ? -1.0 : 1.0;
  if (!ieee::is_finite(y)) {
    if (ieee::equal(x, 0.0))
      return sinh ? complex_double{x, nan} : complex_double{nan, ieee::is_negative(y) ? ieee::negate(x) : x};
    return {ieee::is_infinite(x) ? odd_sign * infinity : nan, nan};
  }
  if (ieee::is_nan(x)) return {nan, y == 0 ? y : nan};
  const circular_functions angle = long_circular(y);
  if (ieee::is_infinite(x)) {
    const double imag = ieee::with_sign_of(infinity, even_sign * angle.sine.high);
    return {ieee::with_sign_of(infinity, odd_sign * angle.cosine.high), y == 0 ? even_sign * y : imag};
  }
  if (x == 0) {
    const double real_angle = (sinh ? angle.sine : angle.cosine).value();
    return sinh ? complex_double{ieee::with_sign_of(0.0, odd_sign * angle.cosine.high), y == 0 ? y : real_angle}
                : complex_double{real_angle, ieee::is_negative(x) != ieee::is_negative(angle.sine.high) ? -0.0 : 0.0};
  }
  const hyperbolic_functions size = long_hyperbolic(x < -1500 ? -1500 : x > 1500 ? 1500 : x);
  const scaled_float odd{split(size.sinh).value, split(size.sinh).exponent + size.exponent};
  const scaled_float even{size.cosh, size.exponent};
  const scaled_float first = sinh ? odd : even, second = sinh ? even : odd;
  const double real = (first * split(angle.cosine)).rounded();
  return {real, y == 0 ? even_sign * y : (second * split(angle.sine)).rounded()};
}

// -i log((x + i y) / sqrt(x^2 + y^2))
constexpr complex_double angle_of_two(complex_double y, complex_double x) {
  const complex_double direction =
      quotient({ieee::subtract(x.real, y.imag), ieee::add(x.imag, y.real)}, sqrt_of(x * x + y * y));
  const complex_double log = log_of(direction);
  return {log.imag, ieee::negate(log.real)};
}

constexpr complex_double sinh_of(complex_double z) { return hyperbolic_of(z, true); }
constexpr complex_double cosh_of(complex_double z) { return hyperbolic_of(z, false); }

// sin(z) = -i sinh(i z), cos(z) = cosh(i z), tan(z) = -i tanh(i z)
constexpr complex_double sine_of(complex_double z) { return of_turned(sinh_of, z); }
constexpr complex_double cosine_of(complex_double z) { return cosh_of({ieee::negate(z.imag), z.real}); }
constexpr complex_double tan_of(complex_double z) { return of_turned(tanh_of, z); }

}  // namespace detail

inline constexpr function_of_one sine{[](auto d, auto x) { return lanes::sine(d, x); }, detail::sine_of};
inline constexpr function_of_one cosine{[](auto d, auto x) { return lanes::cosine(d, x); }, detail::cosine_of};
inline constexpr function_of_one tan{[](auto d, auto x) { return lanes::tan(d, x); }, detail::tan_of};

// The angle of the point (x, y), from -pi to pi.
template <binary_float T>
constexpr T atan2(T y, T x) {
  return lanes::atan2(one_lane::tag<T>(), one_lane::lane<T>{y}, one_lane::lane<T>{x}).raw;
}
// -i log((x + i y) / sqrt(x^2 + y^2))
template <binary_float T>
constexpr complex<T> atan2(complex<T> y, complex<T> x) {
  return detail::in_double(detail::angle_of_two, y, x);
}

inline constexpr function_of_one sinh{[](auto d, auto x) { return lanes::sinh(d, x); }, detail::sinh_of};
inline constexpr function_of_one cosh{[](auto d, auto x) { return lanes::cosh(d, x); }, detail::cosh_of};

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
