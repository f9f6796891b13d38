// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exact.hpp>

#include <cmath>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T power(T x, T y) {
  return std::pow(x, y);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
