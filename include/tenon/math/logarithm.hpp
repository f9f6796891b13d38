// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exact.hpp>

#include <cmath>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T log(T x) {
  return std::log(x);
}

template <binary_float T>
constexpr T log_plus_one(T x) {
  return std::log1p(x);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
