// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/own_lanes.hpp>
#include <tenon/integers/pairs.hpp>

#include <cstddef>
#include <cstdint>

// Products of matrices of integers of 8 bits that are read where they lie, for processors with little memory.
namespace tenon::core {

// Whether convolutions of elements narrower than the lanes of their products copy them. Processors without vectors, or
// with some that read narrow integers where they lie, have little memory.
inline constexpr bool widens_convolutions =
    has_own_lanes<std::uint32_t> ? !has_own_sums<std::uint32_t, std::int8_t> : !has_emulated_lanes;

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

// A few rows and columns of a product in registers. Of two forms: entries of a column are neighbours, or columns are.
template <paired_integer T, int Rows, int Columns>
class integer_tile {
 public:
  using pairs = integer_pairs<T>;
  using pair = typename pairs::pair;

  static void run(const integer_factors<T>& f, std::int32_t* to, std::ptrdiff_t to_row, bool accumulate) {
    tile_sums sums;
    for_each([&](int r, int c) { sums.at[r][c] = accumulate ? to[r * to_row + c] : 0; });
    std::ptrdiff_t k = 0;
    if (f.row_step == 1 && f.column_step == 1)
      k = add_along_columns(f, sums);
    else if (f.row_step == 1 && f.column == 1 && Columns == 4)
      k = add_across_columns(f, sums);
    for (; k < f.depth; ++k)
      for_each([&](int r, int c) {
        const int product = f.rows[r * f.row + k * f.row_step] * f.columns[c * f.column + k * f.column_step];
        sums.at[r][c] = std::int32_t(std::uint32_t(sums.at[r][c]) + std::uint32_t(product));
      });
    for_each([&](int r, int c) { to[r * to_row + c] = sums.at[r][c]; });
  }

 private:
  struct tile_sums {
    std::int32_t at[Rows][Columns];
  };
  struct four_entries {
    pair even, odd;
  };
  // Unrolled whatever a build is optimised for, as sums are registers only then.
  template <class Function>
  static HWY_INLINE void for_each(Function f) {
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) f(r, c);
    }
  }
  static HWY_INLINE four_entries load(const T* from) {
    const std::uint32_t four = load_four(from);
    return {pairs::even(four), pairs::odd(four)};
  }
  static HWY_INLINE std::ptrdiff_t add_along_columns(const integer_factors<T>& f, tile_sums& all) {
    tile_sums sums = all;
    const std::ptrdiff_t count = f.depth / 4 * 4;
    const T *rows[Rows], *columns[Columns];
#pragma GCC unroll 2
    for (int r = 0; r < Rows; ++r) rows[r] = f.rows + r * f.row + count;
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) columns[c] = f.columns + c * f.column + count;
    for (std::ptrdiff_t k = -count; k != 0; k += 4) {
      four_entries of_rows[Rows];
#pragma GCC unroll 2
      for (int r = 0; r < Rows; ++r) of_rows[r] = load(rows[r] + k);
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) {
        const four_entries entries = load(columns[c] + k);
#pragma GCC unroll 2
        for (int r = 0; r < Rows; ++r)
          sums.at[r][c] = pairs::add_products(of_rows[r].odd, entries.odd,
                                              pairs::add_products(of_rows[r].even, entries.even, sums.at[r][c]));
      }
    }
    all = sums;
    return count;
  }
  static HWY_INLINE std::ptrdiff_t add_across_columns(const integer_factors<T>& f, tile_sums& all) {
    tile_sums sums = all;
    const T *a = f.rows, *b = f.columns;
    const std::ptrdiff_t row = f.row, step = f.column_step, count = f.depth / 4 * 4;
    for (const T* const last = a + count; a != last; a += 4, b += 4 * step) {
      four_entries rows[Rows];
#pragma GCC unroll 2
      for (int r = 0; r < Rows; ++r) rows[r] = load(a + r * row);
      add_two_entries(load(b), load(b + 2 * step), [&](int r) { return rows[r].even; }, sums);
      add_two_entries(load(b + step), load(b + 3 * step), [&](int r) { return rows[r].odd; }, sums);
    }
    all = sums;
    return count;
  }
  // Two entries of four columns.
  template <class Row>
  static HWY_INLINE void add_two_entries(const four_entries& a, const four_entries& b, Row row, tile_sums& sums) {
    const pair columns[] = {pairs::firsts(a.even, b.even), pairs::firsts(a.odd, b.odd), pairs::seconds(a.even, b.even),
                            pairs::seconds(a.odd, b.odd)};
    for_each([&](int r, int c) { sums.at[r][c] = pairs::add_products(row(r), columns[c], sums.at[r][c]); });
  }
};

// to[i * to_row + j] (+)= the sum over k of row i times column j. Sums wrap around.
template <paired_integer T>
void multiply_integers(index_t rows, index_t columns, const integer_factors<T>& factors, std::int32_t* to,
                       index_t to_row, bool accumulate) {
  // Tiles as the registers of a Cortex-M are.
  const auto run_rows = [&]<int Rows>(std::ptrdiff_t i) {
    std::ptrdiff_t j = 0;
    const auto run_columns = [&]<int Columns>() {
      for (; j + Columns <= std::ptrdiff_t(columns); j += Columns) {
        integer_factors<T> part = factors;
        part.rows += i * factors.row, part.columns += j * factors.column;
        integer_tile<T, Rows, Columns>::run(part, to + i * std::ptrdiff_t(to_row) + j, std::ptrdiff_t(to_row),
                                            accumulate);
      }
    };
    if (factors.column_step != 1) run_columns.template operator()<4>();
    if (factors.column_step == 1) run_columns.template operator()<2>();
    run_columns.template operator()<1>();
  };
  std::ptrdiff_t i = 0;
  for (; factors.column_step == 1 && i + 2 <= std::ptrdiff_t(rows); i += 2) run_rows.template operator()<2>(i);
  for (; i < std::ptrdiff_t(rows); ++i) run_rows.template operator()<1>(i);
}

// Where the elements under a place of a window and its weights begin.
struct window_place {
  std::ptrdiff_t weight, element;
};

// to[c] = the sum over places of element c times weight c.
template <paired_integer T, class Sum = std::uint32_t>
void multiply_channels(const T* elements, const T* weights, const window_place* places, std::ptrdiff_t count,
                       std::ptrdiff_t channels, std::int32_t* to) {
  using pairs = integer_pairs<T>;
  const window_place* const last = places + count;
  std::ptrdiff_t c = 0;
  if constexpr (has_own_sums<Sum, T>) {
    using vec = own_lanes<Sum>;
    for (; c + 4 <= channels; c += 4, elements += 4, weights += 4, to += 4) {
      auto sum = vec::zero();
      for (const window_place* at = places; at != last; ++at)
        sum = vec::multiply_add(vec::load_widened(elements + at->element, 4),
                                vec::load_widened(weights + at->weight, 4), sum);
      vec::store(sum, reinterpret_cast<Sum*>(to));
    }
  }
  for (; c + 4 <= channels; c += 4, elements += 4, weights += 4, to += 4) {
    std::int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    for (const window_place* at = places; at != last; ++at) {
      const std::uint32_t a = load_four(elements + at->element), b = load_four(weights + at->weight);
      const auto a_even = pairs::even(a), b_even = pairs::even(b);
      sum_0 = pairs::add_product_of_firsts(a_even, b_even, sum_0);
      sum_2 = pairs::add_product_of_seconds(a_even, b_even, sum_2);
      const auto a_odd = pairs::odd(a), b_odd = pairs::odd(b);
      sum_1 = pairs::add_product_of_firsts(a_odd, b_odd, sum_1);
      sum_3 = pairs::add_product_of_seconds(a_odd, b_odd, sum_3);
    }
    to[0] = sum_0, to[1] = sum_1, to[2] = sum_2, to[3] = sum_3;
  }
  for (; c < channels; ++c, ++elements, ++weights, ++to) {
    std::uint32_t sum = 0;
    for (const window_place* at = places; at != last; ++at)
      sum += std::uint32_t(elements[at->element] * weights[at->weight]);
    *to = std::int32_t(sum);
  }
}

}  // namespace tenon::core
