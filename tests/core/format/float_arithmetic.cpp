// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/format/float_arithmetic.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <random>

using namespace tenon;
using namespace tenon::core;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

constexpr bool is_nan(double x) { return x != x; }

static_assert(float_add(1.0, 2.0) == 3 && float_subtract(1.0f, 2.0f) == -1);
static_assert(float_add(largest, 0x1p969) == largest && float_add(largest, 0x1p970) == infinite);
static_assert(float_subtract(-largest, largest) == -infinite);
static_assert(is_nan(float_subtract(infinite, infinite)) && float_add(infinite, -largest) == infinite);
static_assert(is_nan(float_add(not_a_number, 1.0)) && float_subtract(1.0, infinite) == -infinite);
static_assert(float_add(3e38f, 3e38f) == float(infinite));

static_assert(float_multiply(0x1p512, 0x1p511) == 0x1p1023 && float_multiply(0x1p512, -0x1p512) == -infinite);
static_assert(float_multiply(0x1.fffffffffffffp511, 0x1p512) == largest);
static_assert(float_multiply(0x1.fffffffffffffp511, 0x1.0000000000001p512) == infinite);
static_assert(is_nan(float_multiply(0.0, infinite)) && float_multiply(-2.0, infinite) == -infinite);
static_assert(1 / float_multiply(-0x1p-1074, 0x1p1000) == -0x1p74 && float_multiply(0x1p-1074, 0.5) == 0);
static_assert(float_multiply(1e30f, 1e30f) == float(infinite));

static_assert(float_divide(1.0, 0.0) == infinite && float_divide(1.0, -0.0) == -infinite);
static_assert(is_nan(float_divide(0.0, 0.0)) && is_nan(float_divide(infinite, infinite)));
static_assert(float_divide(0x1p-1, 0x1p-1024) == 0x1p1023 && float_divide(0x1p-1, 0x1p-1025) == infinite);
static_assert(float_divide(1.0, infinite) == 0 && float_divide(infinite, -0.0) == -infinite);
static_assert(float_divide(1.0f, 3.0f) == 1.0f / 3.0f);

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool agree(double a, double b) { return same(a, b) || (is_nan(a) && is_nan(b)); }

}  // namespace

TEST_CASE("constant evaluation computes what the machine does") {
  std::mt19937_64 random(1);
  const auto number = [&] {
    std::uint64_t bits = random();
    switch (random() % 8) {
      case 0:
        bits &= 0xFFF0000000000000u;
        break;
      case 1:
        bits &= 0x800FFFFFFFFFFFFFu;
        break;
      case 2:
        bits |= 0x7E00000000000000u;
        break;
      case 3:
        bits &= 0x80000000000000FFu;
        break;
      default:
        break;
    }
    return std::bit_cast<double>(bits);
  };
  int differences = 0;
  for (int i = 0; i < 300000; ++i) {
    const double a = number();
    double b = number();
    if (i % 3 == 0) {
      // The product of a and b, or their quotient, is close to the largest number.
      const int field = int((std::bit_cast<std::uint64_t>(a) >> 52) & 0x7FF);
      const int other = (i % 2 == 0 ? 3069 - field : field - 1023) + int(random() % 5) - 2;
      if (other >= 0 && other < 0x7FF)
        b = std::bit_cast<double>((std::bit_cast<std::uint64_t>(b) & 0x800FFFFFFFFFFFFFu) | std::uint64_t(other) << 52);
    }
    differences += !agree(constant_add(a, b), float_add(a, b));
    differences += !agree(constant_multiply(a, b), float_multiply(a, b));
    differences += !agree(constant_divide(a, b), float_divide(a, b));
    const auto x = std::bit_cast<float>(std::uint32_t(random()));
    const auto y = std::bit_cast<float>(std::uint32_t(random() & (i % 3 == 0 ? 0x807FFFFFu : 0xFFFFFFFFu)));
    differences += !agree(float(constant_add(x, y)), float_add(x, y));
    differences += !agree(float(constant_multiply(x, y)), float_multiply(x, y));
    differences += !agree(float(constant_divide(x, y)), float_divide(x, y));
  }
  CHECK(differences == 0);
}
