// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <cstdint>
#include <limits>

namespace tenon::indexing {

// Integer arithmetic that is defined for every input: results beyond 64 bits stop at the nearest bound, and division
// by zero gives x floordiv 0 = 0 and x mod 0 = x, so that x = (x floordiv n) * n + x mod n always holds.

// @post saturating_add(a, b) = a + b, clamped to 64 bits
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

// @post saturating_multiply(a, b) = a * b, clamped to 64 bits
constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

// @post saturating_negate(a) = -a, clamped to 64 bits
constexpr std::int64_t saturating_negate(std::int64_t a) {
  return a == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max() : -a;
}

// @post a = floor_divide(a, b) * b + modulo(a, b)
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return saturating_negate(a);
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

// @post for b > 0: 0 <= modulo(a, b) < b
constexpr std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// @post greatest_common_divisor(a, b) >= 0 and divides a and b; 0 only for a = b = 0
constexpr std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b) {
  a = a < 0 ? saturating_negate(a) : a;
  b = b < 0 ? saturating_negate(b) : b;
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// All integers from lower to upper, both included; none if lower > upper. Bounds at the ends of the 64-bit range stand
// for minus and plus infinity.
struct interval {
  std::int64_t lower;
  std::int64_t upper;

  constexpr bool is_empty() const { return lower > upper; }
  constexpr bool is_point() const { return lower == upper; }
  constexpr bool is_bounded() const {
    return lower > std::numeric_limits<std::int64_t>::min() && upper < std::numeric_limits<std::int64_t>::max();
  }
  constexpr bool contains(std::int64_t value) const { return lower <= value && value <= upper; }
  constexpr bool contains(interval other) const {
    return other.is_empty() || (lower <= other.lower && other.upper <= upper);
  }
  // Number of integers inside, clamped to 64 bits.
  constexpr std::int64_t count() const {
    return is_empty() ? 0 : saturating_add(saturating_add(upper, saturating_negate(lower)), 1);
  }
  friend constexpr bool operator==(interval, interval) = default;
};

inline constexpr interval empty_interval{0, -1};
inline constexpr interval all_integers{std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max()};

// @post point(v).contains(x) = (x == v)
constexpr interval point(std::int64_t value) { return {value, value}; }

// @post intersection(a, b).contains(x) = a.contains(x) && b.contains(x)
constexpr interval intersection(interval a, interval b) {
  return {a.lower > b.lower ? a.lower : b.lower, a.upper < b.upper ? a.upper : b.upper};
}

// @post a.contains(x) || b.contains(x) implies hull(a, b).contains(x)
constexpr interval hull(interval a, interval b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {a.lower < b.lower ? a.lower : b.lower, a.upper > b.upper ? a.upper : b.upper};
}

// @post a.contains(x) && b.contains(y) implies (a + b).contains(x + y)
constexpr interval operator+(interval a, interval b) {
  if (a.is_empty() || b.is_empty()) return empty_interval;
  return {saturating_add(a.lower, b.lower), saturating_add(a.upper, b.upper)};
}

// @post a.contains(x) implies (-a).contains(-x)
constexpr interval operator-(interval a) {
  if (a.is_empty()) return empty_interval;
  return {saturating_negate(a.upper), saturating_negate(a.lower)};
}

// @post a.contains(x) implies (a * c).contains(x * c)
constexpr interval operator*(interval a, std::int64_t c) {
  if (a.is_empty()) return empty_interval;
  const std::int64_t x = saturating_multiply(a.lower, c);
  const std::int64_t y = saturating_multiply(a.upper, c);
  return c < 0 ? interval{y, x} : interval{x, y};
}

// @post a.contains(x) && b.contains(y) implies (a * b).contains(x * y)
constexpr interval operator*(interval a, interval b) {
  if (a.is_empty() || b.is_empty()) return empty_interval;
  return hull(a * b.lower, a * b.upper);
}

// @post a.contains(x) && b.contains(y) implies floor_divide(a, b).contains(floor_divide(x, y))
constexpr interval floor_divide(interval a, interval b) {
  if (a.is_empty() || b.is_empty()) return empty_interval;
  interval range = empty_interval;
  const auto include = [&](std::int64_t divisor) {
    range = hull(range, point(floor_divide(a.lower, divisor)));
    range = hull(range, point(floor_divide(a.upper, divisor)));
  };
  include(b.lower);
  include(b.upper);
  if (b.contains(0)) include(0);
  if (b.contains(1)) include(1);
  if (b.contains(-1)) include(-1);
  return range;
}

// @post a.contains(x) && b.contains(y) implies modulo(a, b).contains(modulo(x, y))
constexpr interval modulo(interval a, interval b) {
  if (a.is_empty() || b.is_empty()) return empty_interval;
  interval range = empty_interval;
  if (b.upper > 0) range = hull(range, {0, b.upper - 1});
  if (b.lower < 0) range = hull(range, {b.lower + 1, 0});
  if (b.contains(0)) range = hull(range, a);
  if (b.lower > 0 && a.lower >= 0 && a.upper < range.upper) range.upper = a.upper;
  if (b.is_point() && b.lower != 0 && floor_divide(a.lower, b.lower) == floor_divide(a.upper, b.lower) &&
      a.is_bounded())
    return {modulo(a.lower, b.lower), modulo(a.upper, b.lower)};
  return range;
}

// @post a.contains(x) && b.contains(y) implies minimum(a, b).contains(min(x, y))
constexpr interval minimum(interval a, interval b) {
  if (a.is_empty() || b.is_empty()) return empty_interval;
  return {a.lower < b.lower ? a.lower : b.lower, a.upper < b.upper ? a.upper : b.upper};
}

// @post a.contains(x) && b.contains(y) implies maximum(a, b).contains(max(x, y))
constexpr interval maximum(interval a, interval b) {
  if (a.is_empty() || b.is_empty()) return empty_interval;
  return {a.lower > b.lower ? a.lower : b.lower, a.upper > b.upper ? a.upper : b.upper};
}

}  // namespace tenon::indexing
