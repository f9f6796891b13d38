// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exact.hpp>

#include <cmath>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T sine(T x) {
  return std::sin(x);
}

template <binary_float T>
constexpr T cosine(T x) {
  return std::cos(x);
}

template <binary_float T>
constexpr T tan(T x) {
  return std::tan(x);
}

template <binary_float T>
constexpr T atan2(T x, T y) {
  return std::atan2(x, y);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
