// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace tenon::core {

// A non-negative integer of up to 3,200 bits: what the exact decision about any f64 takes.
struct big_integer {
  std::uint32_t limbs[100];  // least significant first, those below `size`
  int size = 0;

  constexpr explicit big_integer(std::uint64_t value) {
    for (; value != 0; value >>= 32) limbs[size++] = std::uint32_t(value);
  }

  constexpr int bits() const { return size == 0 ? 0 : 32 * size - std::countl_zero(limbs[size - 1]); }

  // this * factor + summand
  constexpr void multiply_add(std::uint32_t factor, std::uint32_t summand) {
    std::uint64_t carry = summand;
    for (int i = 0; i < size; ++i) {
      carry += std::uint64_t(limbs[i]) * factor;
      limbs[i] = std::uint32_t(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs[size++] = std::uint32_t(carry);
  }

  // a * factor
  constexpr void assign_product(const big_integer& a, std::uint64_t factor) {
    size = a.size + 2;
    for (int i = 0; i < size; ++i) limbs[i] = 0;
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t digit = half == 0 ? factor & 0xFFFFFFFFu : factor >> 32;
      std::uint64_t carry = 0;
      for (int i = 0; i < a.size; ++i) {
        carry += a.limbs[i] * digit + limbs[i + half];
        limbs[i + half] = std::uint32_t(carry);
        carry >>= 32;
      }
      limbs[a.size + half] = std::uint32_t(carry);
    }
    trim();
  }

  constexpr void multiply_power_of_five(int exponent) {
    for (; exponent >= 13; exponent -= 13) multiply_add(1220703125, 0);
    std::uint32_t rest = 1;
    for (; exponent > 0; --exponent) rest *= 5;
    if (rest != 1) multiply_add(rest, 0);
  }

  constexpr void shift_left(int count) {
    if (size == 0 || count == 0) return;
    const int whole = count / 32, part = count % 32;
    if (part != 0) multiply_add(std::uint32_t{1} << part, 0);
    if (whole == 0) return;
    for (int i = size - 1; i >= 0; --i) limbs[i + whole] = limbs[i];
    for (int i = 0; i < whole; ++i) limbs[i] = 0;
    size += whole;
  }

  constexpr void multiply_power_of_ten(int exponent) {
    multiply_power_of_five(exponent);
    shift_left(exponent);
  }

  constexpr void add(const big_integer& other) {
    std::uint64_t carry = 0;
    for (int i = 0; i < other.size || carry != 0; ++i) {
      if (i == size) limbs[size++] = 0;
      carry += std::uint64_t(limbs[i]) + (i < other.size ? other.limbs[i] : 0);
      limbs[i] = std::uint32_t(carry);
      carry >>= 32;
    }
  }

  // `other` is not larger.
  constexpr void subtract(const big_integer& other) {
    std::uint64_t borrow = 0;
    for (int i = 0; i < size; ++i) {
      const std::uint64_t difference = std::uint64_t(limbs[i]) - (i < other.size ? other.limbs[i] : 0) - borrow;
      limbs[i] = std::uint32_t(difference);
      borrow = difference >> 63;
    }
    trim();
  }

  constexpr void trim() {
    while (size > 0 && limbs[size - 1] == 0) --size;
  }

  // Bits [from, from + 64) of the number.
  constexpr std::uint64_t window(int from) const {
    std::uint64_t result = 0;
    for (int bit = 0; bit < 64;) {
      const int at = from + bit;
      const int limb = at / 32, offset = at % 32;
      if (limb < size) result |= std::uint64_t(limbs[limb] >> offset) << bit;
      bit += 32 - offset;
    }
    return result;
  }

  // The leading 64 bits, those of a short number shifted up; whether anything but zeros follows.
  constexpr std::uint64_t leading(bool& more) const {
    const int total = bits();
    more = false;
    if (total <= 64) return window(0) << (64 - total);
    for (int i = 0; i < (total - 64) / 32 && !more; ++i) more = limbs[i] != 0;
    const int limb = (total - 64) / 32, offset = (total - 64) % 32;
    more = more || (limbs[limb] & ((std::uint32_t{1} << offset) - 1)) != 0;
    return window(total - 64);
  }
};

// < 0, 0, > 0 as a is less than, equal to, greater than b.
constexpr int compare(const big_integer& a, const big_integer& b) {
  if (a.size != b.size) return a.size < b.size ? -1 : 1;
  for (int i = a.size - 1; i >= 0; --i)
    if (a.limbs[i] != b.limbs[i]) return a.limbs[i] < b.limbs[i] ? -1 : 1;
  return 0;
}

struct wide_integer {
  std::uint64_t high, low;
};

constexpr wide_integer multiply_wide(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
  const std::uint64_t low = a0 * b0;
  const std::uint64_t middle = a1 * b0 + (low >> 32);
  const std::uint64_t other = a0 * b1 + (middle & 0xFFFFFFFFu);
  return {a1 * b1 + (middle >> 32) + (other >> 32), (other << 32) | (low & 0xFFFFFFFFu)};
}

// dividend / divisor, for dividend.high < divisor with its top bit set: schoolbook division, 32 bits at a time.
constexpr std::uint64_t divide_wide(wide_integer dividend, std::uint64_t divisor, bool& remainder) {
  const std::uint64_t d1 = divisor >> 32, d0 = divisor & 0xFFFFFFFFu;
  std::uint64_t rest = dividend.high, quotient = 0;
  for (int step = 0; step < 2; ++step) {
    const std::uint64_t next = step == 0 ? dividend.low >> 32 : dividend.low & 0xFFFFFFFFu;
    std::uint64_t digit = rest / d1, left = rest % d1;
    while ((digit >> 32) != 0 || digit * d0 > (left << 32 | next)) {
      --digit;
      left += d1;
      if ((left >> 32) != 0) break;
    }
    rest = (rest << 32 | next) - digit * divisor;
    quotient = quotient << 32 | digit;
  }
  remainder = rest != 0;
  return quotient;
}

}  // namespace tenon::core
