// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/lanes/complex_root.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

// a conjugate(b) / |b|^2, the products exact: no part loses digits to the other.
constexpr complex_double quotient(complex_double a, complex_double b) {
  if (!is_finite(a) || !is_finite(b) || is_zero(a) || is_zero(b)) return a / b;
  const auto exponent = [](complex_double z) {
    const double x = ieee::magnitude(z.real), y = ieee::magnitude(z.imag);
    return ieee::exponent_of(x < y ? y : x);
  };
  const int up = exponent(a), down = exponent(b);
  const complex_double p{scale(a.real, -up), scale(a.imag, -up)}, q{scale(b.real, -down), scale(b.imag, -down)};
  const long_float size = long_float::product(q.real, q.real) + long_float::product(q.imag, q.imag);
  const long_float real = long_float::product(p.real, q.real) + long_float::product(p.imag, q.imag);
  const long_float imag = long_float::product(p.imag, q.real) - long_float::product(p.real, q.imag);
  return {scale((real / size).value(), up - down), scale((imag / size).value(), up - down)};
}

}  // namespace detail

template <binary_float T>
constexpr T divide(T a, T b) {
  return ieee::divide(a, b);
}
template <binary_float T>
constexpr complex<T> divide(complex<T> a, complex<T> b) {
  return lanes::complex_function_of_one<lanes::divide_kernel>(detail::quotient, a, b);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
