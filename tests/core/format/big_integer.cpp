// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/format/big_integer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

using namespace tenon::core;

namespace {

__extension__ using number_of_128_bits = unsigned __int128;

// Compares 10^exponent with another number.
constexpr int compare_power(int exponent, std::uint64_t other) {
  big_integer power(1);
  power.multiply_power_of_ten(exponent);
  return compare(power, big_integer(other));
}
constexpr int bits_of_power(int exponent) {
  big_integer power(1);
  power.multiply_power_of_ten(exponent);
  return power.bits();
}

static_assert(big_integer(0).size == 0 && big_integer(0).bits() == 0);
static_assert(big_integer(1).bits() == 1);
static_assert(big_integer(0xFFFFFFFFu).bits() == 32);
static_assert(big_integer(std::uint64_t(1) << 63).bits() == 64);

static_assert(compare_power(19, 10000000000000000000u) == 0);
static_assert(compare_power(20, 10000000000000000000u) > 0);
static_assert(compare(big_integer(7), big_integer(9)) < 0);
// 10^400 has 1,329 bits.
static_assert(bits_of_power(400) == 1329);

// Digits, one after the other, are the number that they spell.
static_assert([] {
  big_integer digits(0);
  for (const int digit : {1, 8, 4, 4, 6, 7, 4, 4, 0, 7, 3, 7, 0, 9, 5, 5, 1, 6, 1, 6})
    digits.multiply_add(10, std::uint32_t(digit));
  big_integer expected(1);
  expected.shift_left(64);
  return compare(digits, expected) == 0;
}());

static_assert([] {
  big_integer left(1), power(1);
  left.multiply_power_of_ten(50), power.multiply_power_of_ten(50);
  left.add(big_integer(~std::uint64_t(0)));
  left.subtract(power);
  return compare(left, big_integer(~std::uint64_t(0))) == 0;
}());
// A sum may carry beyond the longer number, and a difference may vanish.
static_assert([] {
  big_integer sum(~std::uint64_t(0));
  sum.add(big_integer(1));
  big_integer expected(1);
  expected.shift_left(64);
  if (compare(sum, expected) != 0 || sum.bits() != 65) return false;
  sum.subtract(expected);
  return sum.size == 0;
}());

static_assert([] {
  bool more = true;
  if (big_integer(3).leading(more) != std::uint64_t(3) << 62 || more) return false;
  big_integer large(5);
  large.shift_left(100);
  if (large.leading(more) != std::uint64_t(5) << 61 || more) return false;
  large.add(big_integer(1));
  return large.leading(more) == std::uint64_t(5) << 61 && more && large.window(0) == 1;
}());

}  // namespace

TEST_CASE("products and quotients are those of 128 bits") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    // Of every length.
    const std::uint64_t a = random() >> random() % 64, b = random() >> random() % 64;
    const number_of_128_bits exact = number_of_128_bits(a) * b;
    const wide_integer wide = multiply_wide(a, b);
    REQUIRE(wide.high == std::uint64_t(exact >> 64));
    REQUIRE(wide.low == std::uint64_t(exact));
    big_integer product(0);
    product.assign_product(big_integer(a), b);
    REQUIRE(product.window(0) == wide.low);
    REQUIRE(product.window(64) == wide.high);

    const std::uint64_t divisor = random() | std::uint64_t(1) << 63, high = random() % divisor, low = random();
    const number_of_128_bits dividend = number_of_128_bits(high) << 64 | low;
    bool remainder = false;
    REQUIRE(divide_wide({high, low}, divisor, remainder) == std::uint64_t(dividend / divisor));
    REQUIRE(remainder == (dividend % divisor != 0));
  }
}
