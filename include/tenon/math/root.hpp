// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exact.hpp>

#include <cmath>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T sqrt(T x) {
  return ieee::square_root(x);
}

template <binary_float T>
constexpr T rsqrt(T x) {
  return ieee::divide(T(1), ieee::square_root(x));
}

template <binary_float T>
constexpr T cbrt(T x) {
  return std::cbrt(x);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
