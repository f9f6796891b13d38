// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/bessel.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T bessel_i1e(T x) {
  return lanes::bessel_i1e(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
