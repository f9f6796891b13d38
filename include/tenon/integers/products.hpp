// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/own_lanes.hpp>
#include <tenon/integers/pairs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Loops whose sums are registers, whatever a build is optimised for.
#if HWY_COMPILER_GCC_ACTUAL
#define TENON_FAST [[gnu::noinline, gnu::optimize("O2", "no-schedule-insns")]]
#else
#define TENON_FAST [[gnu::noinline]]
#endif

// Products of matrices of integers of 8 bits that are read where they lie, for processors with little memory.
namespace tenon::core {

// Whether convolutions copy elements narrower than the lanes of their products. Microcontrollers lack the memory.
inline constexpr bool widens_convolutions = has_own_lanes<std::uint32_t> || !has_emulated_lanes;

// Whether sums of their products are computed so. Processors with wider vectors copy them to these.
inline constexpr bool multiplies_in_place = !widens_convolutions;

// The factors of a product: rows and columns that lie so far apart, and whose entries do.
template <paired_integer T>
struct integer_factors {
  const T* rows;
  const T* columns;
  std::ptrdiff_t row, row_step, column, column_step, depth;

  integer_factors(const T* of_rows, const T* of_columns, index_t of_row, index_t step_of_row, index_t of_column,
                  index_t step_of_column, index_t products)
      : rows(of_rows),
        columns(of_columns),
        row(std::ptrdiff_t(of_row)),
        row_step(std::ptrdiff_t(step_of_row)),
        column(std::ptrdiff_t(of_column)),
        column_step(std::ptrdiff_t(step_of_column)),
        depth(std::ptrdiff_t(products)) {}
};

// A few rows and columns of a product in registers. Rows are packed into pairs once for all columns: the even and the
// odd entries of four, row by row. Either the entries of a column are neighbours, or columns are.
template <paired_integer T, int Rows, int Columns>
class integer_tile {
 public:
  using pairs = integer_pairs<T>;
  using pair = typename pairs::pair;

  // Of whole fours of entries.
  static void pack_rows(const integer_factors<T>& f, pair* to) {
    for (std::ptrdiff_t k = 0; k + 4 <= f.depth; k += 4)
      for (int r = 0; r < Rows; ++r, to += 2) {
        T four[4];
        const T* const from = f.rows + r * f.row + k * f.row_step;
        for (int i = 0; f.row_step != 1 && i < 4; ++i) four[i] = from[i * f.row_step];
        const std::uint32_t entries = load_four(f.row_step == 1 ? from : four);
        to[0] = pairs::even(entries), to[1] = pairs::odd(entries);
      }
  }
  // Of all whole tiles in `columns`; returns the remainder.
  template <bool Along>
  TENON_FAST static std::ptrdiff_t run(const integer_factors<T>& f, const pair* rows, std::ptrdiff_t columns,
                                       std::int32_t* to, std::ptrdiff_t to_row, bool accumulate) {
    const std::ptrdiff_t packed = (Along ? f.column_step : f.column) == 1 ? f.depth / 4 * 4 : 0;
    const pair* const last = rows + packed / 2 * Rows;
    for (const T* column = f.columns; columns >= Columns; columns -= Columns, column += Columns * f.column) {
      std::int32_t sums[Rows][Columns];
      for_each([&](int r, int c) { sums[r][c] = accumulate ? to[r * to_row + c] : 0; });
      const T* at[Columns];
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) at[c] = column + c * f.column;
      for (const pair* pairs = rows; pairs != last; pairs += 2 * Rows)
        if constexpr (Along)
          add_four_entries(at, pairs, sums);
        else if constexpr (Columns == 4)
          add_across(at[0], f.column_step, pairs, sums);
      for (std::ptrdiff_t k = packed; k < f.depth; ++k)
        for_each([&](int r, int c) {
          const int product = f.rows[r * f.row + k * f.row_step] * column[c * f.column + k * f.column_step];
          sums[r][c] = std::int32_t(std::uint32_t(sums[r][c]) + std::uint32_t(product));
        });
      for_each([&](int r, int c) { to[r * to_row + c] = sums[r][c]; });
      to += Columns;
    }
    return columns;
  }

 private:
  // Unrolled whatever a build is optimised for, as sums are registers only then.
  template <class Function>
  static HWY_INLINE void for_each(Function f) {
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) f(r, c);
    }
  }
  static HWY_INLINE void add_four_entries(const T* (&columns)[Columns], const pair* rows,
                                          std::int32_t (&sums)[Rows][Columns]) {
#pragma GCC unroll 4
    for (int c = 0; c < Columns; columns[c++] += 4) {
      const std::uint32_t four = load_four(columns[c]);
      const pair even = pairs::even(four), odd = pairs::odd(four);
#pragma GCC unroll 2
      for (int r = 0; r < Rows; ++r)
        sums[r][c] = pairs::add_products(rows[2 * r + 1], odd, pairs::add_products(rows[2 * r], even, sums[r][c]));
    }
  }
  static HWY_INLINE void add_across(const T*& b, std::ptrdiff_t step, const pair* rows,
                                    std::int32_t (&sums)[Rows][Columns]) {
    add_two_entries(load_four(b), load_four(b + 2 * step), rows, sums);
    add_two_entries(load_four(b + step), load_four(b + 3 * step), rows + 1, sums);
    b += 4 * step;
  }
  static HWY_INLINE void add_two_entries(std::uint32_t a, std::uint32_t b, const pair* rows,
                                         std::int32_t (&sums)[Rows][Columns]) {
    const pair a_even = pairs::even(a), b_even = pairs::even(b), a_odd = pairs::odd(a), b_odd = pairs::odd(b);
    const pair columns[] = {pairs::firsts(a_even, b_even), pairs::firsts(a_odd, b_odd), pairs::seconds(a_even, b_even),
                            pairs::seconds(a_odd, b_odd)};
    for_each([&](int r, int c) { sums[r][c] = pairs::add_products(rows[2 * r], columns[c], sums[r][c]); });
  }
};

// to[i * to_row + j] (+)= the sum over k of row i times column j. Sums wrap around.
template <paired_integer T>
void multiply_integers(index_t rows, index_t columns, const integer_factors<T>& factors, std::int32_t* to,
                       index_t to_row, bool accumulate, void* = nullptr) {
#if defined(__ARM_FEATURE_MVE)
  if constexpr (std::is_signed_v<T>)
    if (factors.row_step == 1 && factors.column_step == 1)
      return multiply_neighbours(std::ptrdiff_t(rows), std::ptrdiff_t(columns), factors, to, std::ptrdiff_t(to_row),
                                 accumulate);
#endif
  constexpr std::ptrdiff_t most_depth = 256;
  typename integer_pairs<T>::pair packed[most_depth];
  const bool along = factors.column_step == 1;
  // Tiles as the registers of a Cortex-M are.
  const auto run_rows = [&]<int Rows>(std::ptrdiff_t i) {
    integer_factors<T> part = factors;
    for (std::ptrdiff_t k = 0; k == 0 || k < factors.depth; k += most_depth) {
      part.depth = std::min(factors.depth - k, most_depth);
      part.rows = factors.rows + i * factors.row + k * factors.row_step;
      integer_tile<T, Rows, 1>::pack_rows(part, packed);
      std::ptrdiff_t left = std::ptrdiff_t(columns);
      const auto run_columns = [&]<int Columns, bool Along>() {
        const std::ptrdiff_t j = std::ptrdiff_t(columns) - left;
        part.columns = factors.columns + j * factors.column + k * factors.column_step;
        left = integer_tile<T, Rows, Columns>::template run<Along>(
            part, packed, left, to + i * std::ptrdiff_t(to_row) + j, std::ptrdiff_t(to_row), accumulate || k > 0);
      };
      if (!along) run_columns.template operator()<4, false>();
      if (along) run_columns.template operator()<Rows == 1 ? 4 : 2, true>();
      if (left > 0) run_columns.template operator()<1, true>();
    }
  };
  std::ptrdiff_t i = 0;
  for (; i + 2 <= std::ptrdiff_t(rows); i += 2) run_rows.template operator()<2>(i);
  for (; i < std::ptrdiff_t(rows); ++i) run_rows.template operator()<1>(i);
}

// Where the elements under a place of a window and its weights begin.
struct window_place {
  std::ptrdiff_t weight, element;
};

// to[c] = the sum over places of element c times weight c, of four channels. Not inlined: registers hold the sums.
template <paired_integer T>
TENON_FAST inline void multiply_four_channels(const T* elements, const T* weights, const window_place* at,
                                              const window_place* last, std::int32_t* to) {
  using pairs = integer_pairs<T>;
  std::int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
  for (; at != last; ++at) {
    const std::uint32_t a = load_four(elements + at->element), b = load_four(weights + at->weight);
    const auto a_even = pairs::even(a), b_even = pairs::even(b);
    sum_0 = pairs::add_firsts(a_even, b_even, sum_0);
    sum_2 = pairs::add_seconds(a_even, b_even, sum_2);
    const auto a_odd = pairs::odd(a), b_odd = pairs::odd(b);
    sum_1 = pairs::add_firsts(a_odd, b_odd, sum_1);
    sum_3 = pairs::add_seconds(a_odd, b_odd, sum_3);
  }
  to[0] = sum_0, to[1] = sum_1, to[2] = sum_2, to[3] = sum_3;
}

#if defined(__ARM_FEATURE_MVE)
template <paired_integer T>
TENON_FAST inline void multiply_16_channels(const T* elements, const T* weights, const window_place* at,
                                            const window_place* last, std::int32_t* to) {
  sums_of_eight low, high;
  for (; at != last; ++at) {
    const T *const a = elements + at->element, *const b = weights + at->weight;
    low.add_products(a, b), high.add_products(a + 8, b + 8);
  }
  low.store(to), high.store(to + 8);
}
#endif

template <paired_integer T>
void multiply_channels(const T* elements, const T* weights, const window_place* places, std::ptrdiff_t count,
                       std::ptrdiff_t channels, std::int32_t* to) {
  const window_place* const last = places + count;
  std::ptrdiff_t c = 0;
#if defined(__ARM_FEATURE_MVE)
  for (; c + 16 <= channels; c += 16, elements += 16, weights += 16, to += 16)
    multiply_16_channels(elements, weights, places, last, to);
#endif
  for (; c + 4 <= channels; c += 4, elements += 4, weights += 4, to += 4)
    multiply_four_channels(elements, weights, places, last, to);
  for (; c < channels; ++c, ++elements, ++weights, ++to) {
    std::uint32_t sum = 0;
    for (const window_place* at = places; at != last; ++at)
      sum += std::uint32_t(elements[at->element] * weights[at->weight]);
    *to = std::int32_t(sum);
  }
}

}  // namespace tenon::core

#undef TENON_FAST
