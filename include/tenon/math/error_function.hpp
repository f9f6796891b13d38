// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/error_function.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

// The error function, 1 - erf(x) without its cancellation, and the inverse of erf.
template <binary_float T>
constexpr T erf(T x) {
  return lanes::erf(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}
template <binary_float T>
constexpr T erfc(T x) {
  return lanes::erfc(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}
template <binary_float T>
constexpr T erf_inv(T x) {
  return lanes::erf_inv(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
