// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/trigonometric.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T sine(T x) {
  return lanes::sine(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T cosine(T x) {
  return lanes::cosine(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T tan(T x) {
  return lanes::tan(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

// The angle of the point (x, y), from -pi to pi.
template <binary_float T>
constexpr T atan2(T y, T x) {
  return lanes::atan2(one_lane::tag<T>(), one_lane::lane<T>{y}, one_lane::lane<T>{x}).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
