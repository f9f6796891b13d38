// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/math/trigonometric.hpp>

// The factors of a Fourier transform of lines of n numbers, and the memory that it takes.
namespace tenon::ops {

// exp(-2 pi i k / n) for 0 <= k < n; exact where the angle is a multiple of a quarter turn.
inline tenon::complex<double> root_of_unity(index_t k, index_t n) {
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
// Lines that are transformed side by side have memory for so many, whatever vectors a target has.
inline constexpr index_t most_together = 8;

// Eight comes first, if at all: there are no roots of unity yet to multiply by. So does two.
constexpr index_t next_radix(index_t n) {
  int twos = 0;
  for (index_t rest = n; rest > 0 && rest % 2 == 0; rest /= 2) ++twos;
  if (twos > 0) return twos == 1 ? 2 : twos % 2 == 0 ? 4 : 8;
  index_t radix = 3;
  while (n % radix != 0 && radix <= largest_radix) radix += 2;
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

// The tables and the working memory of so many lines side by side; `halves`: of 2 n real numbers each.
constexpr index_t line_bytes(index_t n, index_t lines, bool halves) {
  const index_t length = transform_length(n), roots = halves ? 2 * n : 0;
  const index_t tables = length == n ? (halves ? roots : n) : 2 * length + n + roots;
  return (2 * lines * (length + 1) + tables) * index_t(sizeof(tenon::complex<double>));
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
  if (n < shortest || n > longest) return false;
  const index_t rows = table_rows(n);
  return rows >= 2 * most_together && is_direct(rows) && is_direct(n / rows);
}
// Rows of the table, as many side by side as are transformed together.
constexpr index_t cells_bytes(index_t rows, index_t columns) {
  return (rows + most_together - 1) / most_together * most_together * columns * index_t(sizeof(tenon::complex<double>));
}
constexpr index_t table_bytes(index_t n) {
  const index_t rows = table_rows(n), columns = n / rows;
  return cells_bytes(rows, columns) + line_bytes(rows, most_together, false) +
         line_bytes(columns, most_together, false) + (rows + columns + n + 1) * index_t(sizeof(tenon::complex<double>));
}

// Whether so many lines of n numbers are worked on several at a time, for which the second cache must have room.
constexpr bool are_side_by_side(index_t lines, index_t n) {
  return lines > 1 && line_bytes(n, most_together, true) <= 1024 * 1024;
}
constexpr index_t bytes(index_t lines, index_t n, bool halves) {
  if (are_side_by_side(lines, n)) return line_bytes(n, most_together, halves);
  const index_t line = line_bytes(n, 1, halves), table = is_table(n) ? table_bytes(n) : 0;
  return line < table ? table : line;
}

}  // namespace fourier

}  // namespace tenon::ops
