// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/integer_lanes.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/kernels/contraction/product_entries.hpp>
#include <tenon/kernels/contraction/product_tile.hpp>
#include <tenon/ops/contraction/packing.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace tenon::kernels::inline HWY_NAMESPACE {
namespace tiling {

// How many neighbours of E in a lane of 32 bits are multiplied and added up at once.
template <class E>
inline constexpr int products_in_lane = !std::is_integral_v<E>            ? 1
                                        : sizeof(E) == 1                  ? most_products_in_lane
                                        : std::is_same_v<E, std::int16_t> ? std::min(most_products_in_lane, 2)
                                                                          : 1;
// Bytes without a sign are multiplied by bytes with one: in rows this bit of each is flipped, which adds 128 to a byte
// with a sign, and takes it from others.
template <class E>
inline constexpr std::uint32_t flipped_bits = products_in_lane<E> == 4 ? 0x80808080 : 0;

template <class E, class Lanes = product_lanes<std::uint32_t>>
struct joined_lanes : Lanes {
  using V = typename Lanes::V;
  static constexpr bool has_first_sums = flipped_bits<E> != 0;

  static HWY_INLINE V multiply_add(V row, V column, V sum) {
    constexpr bool swapped = products_in_lane<E> == 4 && std::is_unsigned_v<E>;
    return add_products_in_lanes<products_in_lane<E>>(typename Lanes::D(), swapped ? column : row,
                                                      swapped ? row : column, sum);
  }
};

// Several entries in a lane, neighbours along the contracting dimension, which are multiplied and added up at once.
template <class E>
struct joined_entries {
  using T = std::uint32_t;
  using tile = product_tile<T, ops::packing::vector_bytes, joined_lanes<E>>;
  static constexpr index_t lanes_of_column = 1, together = products_in_lane<E>;
  // Before a panel is a row of the sums that make up for flipped bits.
  static constexpr index_t first_rows = flipped_bits<E> != 0 ? 1 : 0;

  static constexpr index_t lanes_deep(index_t depth) { return (depth + together - 1) / together; }

  // to[p / together] holds a(i, k0 + p) and what follows it, with zeros behind the last one.
  static void pack_row(const strided_matrix<const E>& a, index_t i, index_t k0, index_t depth, T* to,
                       T flips = flipped_bits<E>) {
    const E* const from = a.at(i, k0);
    const index_t some = together * vec::count();
    for (index_t p = 0; a.column == 1 && p < depth; p += some) {
      const auto joined = hn::Xor(load(from + p, depth - p), vec::broadcast(flips));
      const index_t count = lanes_deep(depth - p < some ? depth - p : some);
      count < vec::count() ? vec::store_first(joined, to + p / together, count) : vec::store(joined, to + p / together);
    }
    for (index_t p = 0; a.column != 1 && p < depth; p += together) {
      T joined = 0;
      for (index_t j = together; j-- > 0;)
        joined = joined << bits | (p + j < depth ? T(from[(p + j) * a.column]) & mask : 0);
      to[p / together] = joined ^ flips;
    }
  }
  // As tiling::pack_panel, with to[k / together * panel + j] for b(k, j) and what follows it, behind the first sums.
  static index_t pack_panel(const strided_matrix<const E>& b, index_t depth, index_t width, T* to) {
    const index_t lanes = tile::lanes(), panel = width > lanes ? tile::panel() : lanes, deep = lanes_deep(depth);
    T* const first = to + first_rows * panel;
    for (index_t k = 0; b.column == 1 && k < deep; ++k)
      for (index_t j = 0; j < panel; j += lanes) {
        const index_t rows = std::min(depth - k * together, together);
        const strided_matrix<const E> some{b.at(k * together, j), b.row, 1};
        vec::store(rows == together && j + lanes <= width ? join_rows(some, together, lanes)
                                                          : join_rows(some, rows, std::min(width - j, lanes)),
                   first + k * panel + j);
      }
    for (index_t j = 0; b.column != 1 && j < panel; j += 4) {
      T columns[4][ops::packing::block_depth];
      for (index_t c = 0; c < 4; ++c)
        if (j + c < width)
          pack_row(b.transposed(), j + c, 0, depth, columns[c], 0);
        else
          std::fill_n(columns[c], deep, T{});
      index_t k = 0;
      for (; k + 4 <= deep; k += 4)
        transpose_block(columns[0] + k, ops::packing::block_depth, first + k * panel + j, panel);
      for (; k < deep; ++k)
        for (index_t c = 0; c < 4; ++c) first[k * panel + j + c] = columns[c][k];
    }
    if constexpr (first_rows > 0)
      for (index_t j = 0; j < panel; j += lanes) {
        auto sum = vec::zero();
        for (index_t k = 0; k < deep; ++k)
          sum = vec::multiply_add(vec::broadcast(flipped_bits<E>), vec::load(first + k * panel + j), sum);
        vec::store(hn::Sub(vec::zero(), sum), to + j);
      }
    return panel;
  }
  // c (+)= a * b for rows and columns of neighbours, which are read where they lie.
  static void multiply_lines(index_t m, index_t n, index_t k, const strided_matrix<const E>& a,
                             const strided_matrix<const E>& b, T* c, index_t c_row, bool accumulate) {
    constexpr index_t columns = 4;
    const index_t some = together * vec::count();
    const auto flips = vec::broadcast(flipped_bits<E>);
    for (index_t j = 0; j < n; j += columns)
      for (index_t i = 0; i < m; ++i) {
        typename vec::V sums[columns]{vec::zero(), vec::zero(), vec::zero(), vec::zero()};
        typename vec::V flipped[columns]{vec::zero(), vec::zero(), vec::zero(), vec::zero()};
        const auto add = [&](index_t p, index_t count) HWY_ATTR {
          const auto row = hn::Xor(load(a.at(i, p), count), flips);
#pragma GCC unroll 4
          for (index_t each = 0; each < columns; ++each) {
            const auto column = load(b.at(p, j + each < n ? j + each : j), count);
            sums[each] = vec::multiply_add(row, column, sums[each]);
            if constexpr (first_rows > 0) flipped[each] = vec::multiply_add(flips, column, flipped[each]);
          }
        };
        index_t p = 0;
        for (; p + some <= k; p += some) add(p, some);
        if (p < k) add(p, k - p);
        T totals[columns];
        vec::totals(hn::Sub(sums[0], flipped[0]), hn::Sub(sums[1], flipped[1]), hn::Sub(sums[2], flipped[2]),
                    hn::Sub(sums[3], flipped[3]), totals);
        for (index_t each = 0; each < columns && j + each < n; ++each) {
          T& to = c[i * c_row + j + each];
          to = accumulate ? to + totals[each] : totals[each];
        }
      }
  }

 private:
  using vec = joined_lanes<E>;
  static constexpr int bits = 32 / together;
  static constexpr T mask = T(-1) >> (32 - bits);

  // Of `count` columns.
  static HWY_INLINE typename vec::V join_rows(const strided_matrix<const E>& b, index_t rows, index_t count) {
    auto joined = vec::zero();
    for (index_t i = together; i-- > 0;) {
      joined = hn::ShiftLeft<bits>(joined);
      if (i < rows) joined = hn::Or(joined, hn::And(vec::load_widened(b.at(i, 0), count), vec::broadcast(mask)));
    }
    return joined;
  }
  // The lanes of the first neighbours, or of a whole vector.
  static HWY_INLINE typename vec::V load(const E* from, index_t count) {
    const hn::Repartition<std::conditional_t<together == 4, E, std::int16_t>, typename vec::D> joined;
    const hn::Rebind<E, decltype(joined)> d;
    const auto loaded =
        count < together * vec::count() ? core::load_first(d, from, std::size_t(count)) : hn::LoadU(d, from);
    if constexpr (together * sizeof(E) == 4)
      return hn::BitCast(typename vec::D(), loaded);
    else
      return hn::BitCast(typename vec::D(), hn::PromoteTo(joined, loaded));
  }
};

template <class E>
  requires(products_in_lane<E> > 1)
struct entries_of<std::uint32_t, E> : std::type_identity<joined_entries<E>> {};

}  // namespace tiling
}  // namespace tenon::kernels::inline HWY_NAMESPACE
