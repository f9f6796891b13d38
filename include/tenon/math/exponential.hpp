// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exponential.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T exponential(T x) {
  return lanes::exponential(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T exponential_minus_one(T x) {
  return lanes::exponential_minus_one(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T logistic(T x) {
  return lanes::logistic(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T tanh(T x) {
  return lanes::tanh(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
