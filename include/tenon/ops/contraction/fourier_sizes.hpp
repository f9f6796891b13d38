// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/math/trigonometric.hpp>

// What a Fourier transform of lines of n numbers is computed with, and how much memory that takes.
namespace tenon {

// exp(-2 pi i k / n) for 0 <= k < n; exact where the angle is a multiple of a quarter turn.
inline complex<double> root_of_unity(index_t k, index_t n) {
  const index_t quarter = (8 * k + n) / (2 * n);  // the nearest
  const double angle = 1.5707963267948966 * (double(4 * k - quarter * n) / double(n));
  const double c = math::cosine(angle), s = math::sine(angle);
  switch (quarter % 4) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

namespace fourier {

inline constexpr index_t largest_radix = 31;
// Lines that are transformed side by side, if vectors have a known length.
inline constexpr index_t together = HWY_HAVE_FLOAT64 && !HWY_HAVE_SCALABLE && !has_emulated_lanes ? 8 : 1;

constexpr index_t next_radix(index_t n) {
  if (n % 4 == 0) return 4;
  index_t radix = 2;
  while (n % radix != 0 && radix <= largest_radix) ++radix;
  return radix;
}

// n itself, or the power of two for Bluestein's convolution if n has a large prime factor.
constexpr index_t transform_length(index_t n) {
  index_t rest = n;
  while (rest > 1) {
    const index_t radix = next_radix(rest);
    if (radix > largest_radix) {
      index_t power = 1;
      while (power < 2 * n - 1) power *= 2;
      return power;
    }
    rest /= radix;
  }
  return n;
}
constexpr bool is_direct(index_t n) { return transform_length(n) == n; }

// The tables and the working memory of so many lines side by side.
constexpr index_t line_bytes(index_t n, index_t lines) {
  constexpr index_t number = sizeof(complex<double>);
  const index_t length = transform_length(n);
  return (2 * lines * length + length + (length == n ? 0 : n + length)) * number;
}

// A long line as a table: of the divisors of n, the largest that is at most its square root.
constexpr index_t table_rows(index_t n) {
  index_t root = 1;
  while ((root + 1) * (root + 1) <= n) ++root;
  while (n % root != 0) --root;
  return root;
}
constexpr bool is_table(index_t n) {
  constexpr index_t shortest = 1024, longest = index_t(1) << 32;
  if (together == 1 || n < shortest || n > longest) return false;
  const index_t rows = table_rows(n);
  return rows >= 2 * together && is_direct(rows) && is_direct(n / rows);
}
// Rows of the table, as many side by side as are transformed together.
constexpr index_t cells_bytes(index_t rows, index_t columns) {
  return (rows + together - 1) / together * together * columns * index_t(sizeof(complex<double>));
}
constexpr index_t table_bytes(index_t n) {
  const index_t rows = table_rows(n), columns = n / rows;
  return cells_bytes(rows, columns) + line_bytes(rows, together) + line_bytes(columns, together) +
         (rows + columns) * index_t(sizeof(complex<double>));
}

// Whether so many lines of n numbers are worked on several at a time, for which the second cache must have room.
constexpr bool are_side_by_side(index_t lines, index_t n) {
  return 2 * lines >= together && line_bytes(n, together) <= 1024 * 1024;
}
constexpr index_t bytes(index_t lines, index_t n) {
  return are_side_by_side(lines, n) ? line_bytes(n, together) : is_table(n) ? table_bytes(n) : line_bytes(n, 1);
}

}  // namespace fourier

}  // namespace tenon
