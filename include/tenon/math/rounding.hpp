// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/rounding.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T floor(T x) {
  return lanes::floor(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T ceil(T x) {
  return lanes::ceil(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T round_nearest_even(T x) {
  return lanes::round_nearest_even(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T round_nearest_afz(T x) {
  return lanes::round_nearest_afz(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

// x - y d with d the quotient rounded toward zero: the result has the sign of x.
template <binary_float T>
constexpr T remainder(T x, T y) {
  return lanes::remainder(one_lane::tag<T>(), one_lane::lane<T>{x}, one_lane::lane<T>{y}).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
