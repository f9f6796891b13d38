// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/function_of_one.hpp>
#include <tenon/math/lanes/rounding.hpp>
#include <tenon/math/magnitude.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

inline constexpr function_of_one floor{[](auto d, auto x) { return lanes::floor(d, x); }};
inline constexpr function_of_one ceil{[](auto d, auto x) { return lanes::ceil(d, x); }};
inline constexpr function_of_one round_nearest_even{[](auto d, auto x) { return lanes::round_nearest_even(d, x); }};
inline constexpr function_of_one round_nearest_afz{[](auto d, auto x) { return lanes::round_nearest_afz(d, x); }};

// x - y d with d the quotient rounded toward zero: the result has the sign of x.
template <binary_float T>
constexpr T remainder(T x, T y) {
  return lanes::remainder(one_lane::tag<T>(), one_lane::lane<T>{x}, one_lane::lane<T>{y}).raw;
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
