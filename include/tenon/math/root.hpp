// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/root.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T sqrt(T x) {
  return ieee::square_root(x);
}

template <binary_float T>
constexpr T rsqrt(T x) {
  return lanes::rsqrt(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T cbrt(T x) {
  return lanes::cbrt(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
