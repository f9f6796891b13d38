// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/logarithm.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T log(T x) {
  return lanes::log(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T log_plus_one(T x) {
  return lanes::log_plus_one(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
