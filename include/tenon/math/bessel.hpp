// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

// e^-|x| I1(x), the modified Bessel function of the first kind: x / 2 times the sum of (x / 2)^2k / (k! (k + 1)!), and
// where that takes too many terms the series in 1 / x.
constexpr double real_bessel_i1e(double x) {
  if (ieee::is_nan(x)) return nan;
  const double size = ieee::magnitude(x);
  if (ieee::is_infinite(size)) return ieee::with_sign_of(0.0, x);
  double result = 0;
  if (size < 25) {
    const double square = ieee::multiply(size / 2, size / 2);
    double sum = 1;
    for (int k = 60; k > 0; --k) sum = 1 + ieee::multiply(square / (k * (k + 1)), sum);
    result = ieee::multiply(size / 2, ieee::multiply(sum, lanes::exponential(one_tag, one_double{-size}).raw));
  } else {
    double sum = 1;
    for (int k = 24; k > 0; --k) {
      const double odd = 2 * k - 1;
      sum = 1 - (4 - odd * odd) / (8 * k) * (sum / size);
    }
    result = sum / ieee::square_root(0x1.921fb54442d18p+2) / ieee::square_root(size);
  }
  return ieee::with_sign_of(result, x);
}

}  // namespace detail

template <binary_float T>
constexpr T bessel_i1e(T x) {
  return detail::in_double(detail::real_bessel_i1e, x);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
