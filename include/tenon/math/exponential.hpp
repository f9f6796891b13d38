// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/function_of_one.hpp>
#include <tenon/math/lanes/complex_exponential.hpp>
#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

constexpr complex_double exponential_of(complex_double z) {
  // An infinite imaginary part has no direction, whatever the real part is; C's Annex G lets -infinity win.
  if (!ieee::is_finite(z.imag)) return {nan, nan};
  if (z.imag == 0) return {lanes::exponential(one_tag, one_double{z.real}).raw, z.imag};
  if (ieee::is_nan(z.real)) return {nan, nan};
  const circular_functions angle = long_circular(z.imag);
  const double bounded = z.real < -1500 ? -1500 : z.real > 1500 ? 1500 : z.real;
  const scaled_float size = long_exponential(bounded);
  return {(size * split(angle.cosine)).rounded(), (size * split(angle.sine)).rounded()};
}

constexpr complex_double exponential_minus_one_of(complex_double z) {
  if (!is_finite(z)) {
    const complex_double power = exponential_of(z);
    return {ieee::subtract(power.real, 1.0), power.imag};
  }
  if (z.imag == 0) return {lanes::exponential_minus_one(one_tag, one_double{z.real}).raw, z.imag};
  const complex_double power = exponential_of(z);
  if (z.real < -0.34 || z.real > 40) {
    if (z.real > 40) return {power.real - 1, power.imag};
    const scaled_float size = long_exponential(z.real < -800 ? -800 : z.real);
    const long_float real = size.value * long_circular(z.imag).cosine;
    return {(real.scaled(scale(1, size.exponent)) - 1).value(), power.imag};
  }
  // e^x cos(y) - 1 = (e^x - 1) cos(y) - 2 sin(y / 2)^2
  const scaled_float size = long_exponential(z.real);
  const long_float growth =
      z.real < 0.34 ? long_exponential_minus_one(z.real) : size.value.scaled(scale(1, size.exponent)) - 1;
  const long_float half_sine = long_circular(z.imag / 2).sine;
  const long_float first = growth * long_circular(z.imag).cosine, second = (half_sine * half_sine).scaled(2);
  const long_float real = first - second;
  if (ieee::magnitude(real.high) > second.high / 4) return {real.value(), power.imag};
  const long_float longest = longest_circular(z.imag / 2).sine;
  const long_float longest_first = longest_exponential_minus_one(z.real) * longest_circular(z.imag).cosine;
  return {(longest_first - (longest * longest).scaled(2)).value(), power.imag};
}

// Where x vanishes, a zero of the other number's sign.
constexpr double value_or_zero(long_float x, double sign) {
  const double value = x.value();
  return value == 0 ? ieee::with_sign_of(0.0, sign) : value;
}

// tanh(x + i y) = (sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)^2 + cos(y)^2), a sum that never cancels.
constexpr complex_double tanh_of(complex_double z) {
  const double one = ieee::with_sign_of(1.0, z.real), zero = ieee::with_sign_of(0.0, z.imag);
  if (ieee::is_infinite(z.real)) {
    if (!ieee::is_finite(z.imag)) return {one, zero};
    const circular_functions angle = long_circular(z.imag);
    return {one, ieee::with_sign_of(0.0, angle.sine.high * angle.cosine.high)};
  }
  if (has_nan(z) || !ieee::is_finite(z.imag)) {
    if (ieee::equal(z.imag, 0.0)) return {nan, z.imag};
    return {ieee::equal(z.real, 0.0) ? z.real : nan, nan};
  }
  // On the axes, for the signs of zeros.
  if (z.imag == 0) return {lanes::tanh(one_tag, one_double{z.real}).raw, z.imag};
  if (z.real == 0) return {z.real, lanes::tan(one_tag, one_double{z.imag}).raw};
  const circular_functions angle = long_circular(z.imag);
  const long_float swing = angle.sine * angle.cosine;
  if (ieee::magnitude(z.real) > 40) {
    const double distance = ieee::magnitude(z.real) < 750 ? ieee::magnitude(z.real) : 750;
    const scaled_float decay = long_exponential(-2 * distance);
    return {one, scale((swing * decay.value).value(), decay.exponent + 2)};
  }
  const hyperbolic_functions size = long_hyperbolic(z.real);
  const double unit = ieee::power_of_two<double>(size.exponent);
  const long_float sinh = size.sinh.scaled(unit), cosh = size.cosh.scaled(unit);
  const long_float denominator = sinh * sinh + angle.cosine * angle.cosine;
  return {value_or_zero(sinh * cosh / denominator, z.real),
          value_or_zero(swing / denominator, angle.sine.high * angle.cosine.high)};
}

// 1 / (1 + e^-z) = (1 + tanh(z / 2)) / 2, in terms of half the angle:
// (cos(y)^2 + sinh(x) e^x + i sin(y) cos(y)) / (2 sinh(x)^2 + 2 cos(y)^2)
constexpr complex_double logistic_of(complex_double z) {
  if (!is_finite(z) || ieee::magnitude(z.real) > 80) {
    if (is_finite(z) && z.real < 0) return exponential_of(z);
    const complex_double tangent = tanh_of({ieee::multiply(z.real, 0.5), ieee::multiply(z.imag, 0.5)});
    return {ieee::add(0.5, ieee::multiply(tangent.real, 0.5)), ieee::multiply(tangent.imag, 0.5)};
  }
  if (z.imag == 0) return {lanes::logistic(one_tag, one_double{z.real}).raw, z.imag};
  const circular_functions angle = long_circular(z.imag / 2);
  const hyperbolic_functions size = long_hyperbolic(z.real / 2);
  const double unit = ieee::power_of_two<double>(size.exponent);
  const long_float sinh = size.sinh.scaled(unit);
  const scaled_float power = long_exponential(z.real / 2);
  const long_float growth = power.value.scaled(ieee::power_of_two<double>(power.exponent));
  const long_float square = angle.cosine * angle.cosine;
  const long_float denominator = (sinh * sinh + square).scaled(2);
  return {((square + sinh * growth) / denominator).value(),
          value_or_zero(angle.sine * angle.cosine / denominator, angle.sine.high * angle.cosine.high)};
}

}  // namespace detail

template <binary_float T>
constexpr T exponential(T x) {
  return lanes::exponential(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

inline constexpr function_of_one exponential_minus_one{
    [](auto d, auto x) { return lanes::exponential_minus_one(d, x); }, detail::exponential_minus_one_of};
inline constexpr function_of_one logistic{[](auto d, auto x) { return lanes::logistic(d, x); }, detail::logistic_of};

template <binary_float T>
constexpr T tanh(T x) {
  return lanes::tanh(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr complex<T> exponential(complex<T> z) {
  return lanes::complex_function_of_one<lanes::exponential_kernel>(detail::exponential_of, z);
}

template <binary_float T>
constexpr complex<T> tanh(complex<T> z) {
  return lanes::complex_function_of_one<lanes::tanh_kernel>(detail::tanh_of, z);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
