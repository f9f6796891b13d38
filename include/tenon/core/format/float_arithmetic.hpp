// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

// IEEE-754 arithmetic that constant evaluation accepts too: there compilers refuse operations that give a NaN (clang
// also those that take one), GCC those that overflow or divide by zero. At run time these are the plain operators.
namespace tenon::core {

template <std::floating_point T>
constexpr bool is_nan(T x) {
  return x != x;
}
template <std::floating_point T>
constexpr T magnitude(T x) {
  return x < 0 ? -x : x;
}
template <std::floating_point T>
constexpr bool is_infinite(T x) {
  return magnitude(x) > std::numeric_limits<T>::max();
}
template <std::floating_point T>
constexpr bool is_finite(T x) {
  return magnitude(x) <= std::numeric_limits<T>::max();
}
template <std::floating_point T>
constexpr bool is_negative(T x) {
  return (bit_cast<std::uint64_t>(double(x)) >> 63) != 0;
}

inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity(bool negative) {
  return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}
constexpr double zero(bool negative) { return negative ? -0.0 : 0.0; }

// Of a number that is not zero: e with 2^e <= |x| < 2^(e + 1).
constexpr int exponent_of(double x) {
  const std::uint64_t bits = bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
  return (bits >> 52) != 0 ? int(bits >> 52) - 1023 : int(std::bit_width(bits)) - 1075;
}

constexpr double constant_add(double a, double b) {
  if (is_nan(a) || is_nan(b)) return quiet_nan;
  if (is_infinite(a)) return is_infinite(b) && a != b ? quiet_nan : a;
  if (is_infinite(b)) return b;
  // Half the sum is rounded as the sum is, unless that is small.
  const double half = a / 2 + b / 2;
  return magnitude(half) >= 0x1p1023 ? infinity(half < 0) : a + b;
}

constexpr double constant_multiply(double a, double b) {
  if (is_nan(a) || is_nan(b)) return quiet_nan;
  const bool negative = is_negative(a) != is_negative(b);
  if (is_infinite(a) || is_infinite(b)) return a == 0 || b == 0 ? quiet_nan : infinity(negative);
  if (a == 0 || b == 0) return zero(negative);
  const int exponent = exponent_of(a) + exponent_of(b);
  if (exponent > 1023) return infinity(negative);
  if (exponent == 1023) {
    // The larger factor can lose 100 binades and stays exact.
    const double scaled = magnitude(a) > magnitude(b) ? a * 0x1p-100 * b : b * 0x1p-100 * a;
    if (magnitude(scaled) >= 0x1p924) return infinity(negative);
  }
  return a * b;
}

constexpr double constant_divide(double a, double b) {
  if (is_nan(a) || is_nan(b)) return quiet_nan;
  const bool negative = is_negative(a) != is_negative(b);
  if (is_infinite(a)) return is_infinite(b) ? quiet_nan : infinity(negative);
  if (is_infinite(b)) return zero(negative);
  if (b == 0) return a == 0 ? quiet_nan : infinity(negative);
  if (a == 0) return zero(negative);
  const int exponent = exponent_of(a) - exponent_of(b);
  if (exponent > 1024) return infinity(negative);
  if (exponent == 1024) {
    // One of them is at least 100 binades away from the end that the scaling goes to.
    const double scaled = exponent_of(a) > 0 ? a * 0x1p-100 / b : a / (b * 0x1p100);
    if (magnitude(scaled) >= 0x1p924) return infinity(negative);
  }
  return a / b;
}

// An f32 result that went through f64 is correctly rounded: f64 has more than twice the precision.
template <std::floating_point T>
constexpr T float_add(T a, T b) {
  if (std::is_constant_evaluated()) return T(constant_add(a, b));
  return a + b;
}
template <std::floating_point T>
constexpr T float_subtract(T a, T b) {
  if (std::is_constant_evaluated()) return T(constant_add(a, -b));
  return a - b;
}
template <std::floating_point T>
constexpr T float_multiply(T a, T b) {
  if (std::is_constant_evaluated()) return T(constant_multiply(a, b));
#if defined(__GNUC__) && !defined(__clang__)
  // Not contracted with a sum that follows.
  return __builtin_assoc_barrier(a * b);
#else
  return a * b;
#endif
}
template <std::floating_point T>
constexpr T float_divide(T a, T b) {
  if (std::is_constant_evaluated()) return T(constant_divide(a, b));
  return a / b;
}

}  // namespace tenon::core
