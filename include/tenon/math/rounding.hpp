// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exact.hpp>

#include <cmath>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T abs(T x) {
  return ieee::magnitude(x);
}

template <binary_float T>
constexpr T sign(T x) {
  return ieee::is_nan(x) || x == T(0) ? x : ieee::with_sign_of(T(1), x);
}

template <binary_float T>
constexpr T floor(T x) {
  return std::floor(x);
}

template <binary_float T>
constexpr T ceil(T x) {
  return std::ceil(x);
}

template <binary_float T>
constexpr T round_nearest_even(T x) {
  return std::nearbyint(x);
}

template <binary_float T>
constexpr T round_nearest_afz(T x) {
  return std::round(x);
}

template <binary_float T>
constexpr T remainder(T x, T y) {
  return std::fmod(x, y);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
