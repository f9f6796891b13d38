// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/power.hpp>

#include <concepts>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

template <binary_float T>
constexpr T power(T x, T y) {
  return lanes::power(one_lane::tag<T>(), one_lane::lane<T>{x}, one_lane::lane<T>{y}).raw;
}

// Wraps around. With a negative exponent, the whole part of the fraction: zero but for the bases 1 and -1; the base 0
// gives 0, as in XLA.
template <std::integral T>
constexpr T power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return T(1);
      return base == -1 ? T(exponent % 2 == 0 ? 1 : -1) : T(0);
    }
  }
  // Unsigned arithmetic that no promotion makes signed.
  using wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  wide result = 1, factor = wide(base);
  for (auto rest = std::make_unsigned_t<T>(exponent); rest != 0; rest = std::make_unsigned_t<T>(rest >> 1)) {
    if ((rest & 1) != 0) result *= factor;
    factor *= factor;
  }
  return T(result);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
