// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>

#include <cstdint>

namespace tenon::inline HWY_NAMESPACE::math::detail {

// A number of 128 bits before the point and 192 after it, for sums that cancel more digits than a long_float has.
struct fixed_point {
  static constexpr int size = 10, fraction_size = 6;
  std::uint32_t digits[size]{};  // in two's complement, those of the fraction first

  constexpr fixed_point() = default;
  // @pre |x| < 2^127
  constexpr fixed_point(double x) {
    double rest = x < 0 ? -x : x, unit = 0x1p+96;
    for (int i = size; i-- > 0 && rest > 0; unit *= 0x1p-32) {
      digits[i] = std::uint32_t(rest / unit);
      rest -= digits[i] * unit;
    }
    if (x < 0) *this = -*this;
  }
  [[gnu::cold]] constexpr double value() const {
    if (is_negative()) return -(-*this).value();
    double sum = 0, unit = 0x1p-192;
    for (int i = 0; i < size; ++i, unit *= 0x1p+32) sum += digits[i] * unit;
    return sum;
  }
  constexpr bool is_negative() const { return digits[size - 1] >> 31 != 0; }

  friend constexpr fixed_point operator-(fixed_point a) {
    for (std::uint32_t& digit : a.digits) digit = ~digit;
    fixed_point least;
    least.digits[0] = 1;
    return a + least;
  }
  friend constexpr fixed_point operator+(fixed_point a, const fixed_point& b) {
    std::uint64_t carry = 0;
    for (int i = 0; i < size; ++i, carry >>= 32) {
      carry += std::uint64_t(a.digits[i]) + b.digits[i];
      a.digits[i] = std::uint32_t(carry);
    }
    return a;
  }
  friend constexpr fixed_point operator-(const fixed_point& a, const fixed_point& b) { return a + -b; }
  [[gnu::cold]] friend constexpr fixed_point operator*(const fixed_point& a, const fixed_point& b) {
    if (a.is_negative()) return -(-a * b);
    if (b.is_negative()) return -(a * -b);
    std::uint32_t all[2 * size]{};
    for (int i = 0; i < size; ++i) {
      if (a.digits[i] == 0) continue;
      std::uint64_t carry = 0;
      for (int k = 0; k < size; ++k, carry >>= 32) {
        carry += std::uint64_t(a.digits[i]) * b.digits[k] + all[i + k];
        all[i + k] = std::uint32_t(carry);
      }
      all[i + size] = std::uint32_t(carry);
    }
    fixed_point product;
    for (int i = 0; i < size; ++i) product.digits[i] = all[i + fraction_size];
    return product;
  }
  friend constexpr fixed_point operator/(fixed_point a, const fixed_point& b) {
    fixed_point quotient;
    for (int step = 0; step < 3; ++step) {
      const fixed_point part = a.value() / b.value();
      quotient = quotient + part;
      a = a - part * b;
    }
    return quotient;
  }
};

}  // namespace tenon::inline HWY_NAMESPACE::math::detail
