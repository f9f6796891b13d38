// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/kernels/contraction/product_entries.hpp>
#include <tenon/kernels/contraction/product_tile.hpp>
#include <tenon/ops/contraction/packing.hpp>

namespace tenon::inline HWY_NAMESPACE::tiling {

// Rows of a product, some tiles of them, of up to Runs runs each: found once, they meet every panel of a block of
// columns while both are in the second cache.
template <class T, index_t Runs = 1>
class row_tiles {
 public:
  using tile = product_tile<T>;

  bool is_full() const { return count_ == packing::tiles_together; }
  void clear() { count_ = 0; }
  // Calls fill(from, to) for where the entries of `height` more rows begin, from[run * height + row], and their sums.
  template <class Fill>
  void add(index_t height, Fill fill) {
    heights_[count_] = height;
    fill(static_cast<const T**>(from_[count_]), static_cast<T**>(to_[count_]));
    ++count_;
  }
  // Their sums with a panel of `width` columns, from that column of the result on; `factors` lack the rows.
  void multiply(index_t column, index_t width, tile_factors<T> factors, bool accumulate) const {
    for (index_t i = 0; i < count_; ++i) {
      T* to[tile::rows];
      for (index_t r = 0; r < heights_[i]; ++r) to[r] = to_[i][r] + column;
      factors.a = from_[i];
      tile::run(heights_[i], width, factors, to, accumulate);
    }
  }

 private:
  index_t count_ = 0;
  index_t heights_[packing::tiles_together];
  const T* from_[packing::tiles_together][Runs * tile::rows];
  T* to_[packing::tiles_together][tile::rows];
};

// Calls f(column, width, place in the copy) for the panels of a block of so many columns and that depth.
template <class T, class Function>
HWY_INLINE void for_each_panel(index_t columns, index_t depth, Function f) {
  const index_t panel = product_tile<T>::panel();
  for (index_t j = 0; j < columns; j += panel) f(j, columns - j < panel ? columns - j : panel, j * depth);
}
// The length of the rows of a panel of so many columns.
template <class T>
index_t row_of_panel(index_t width) {
  using tile = product_tile<T>;
  return width > tile::lanes() ? tile::panel() : tile::lanes();
}

// Copies `depth` x `columns` entries of B to rows `first` to `first` + `depth` of panels that lie behind each other,
// each of them `panel_depth` rows deep. Rows whose entries are neighbours are read in the order of memory, and asked
// for beforehand.
template <class T>
void pack_rows(const strided_matrix<const T>& b, index_t depth, index_t columns, T* to, index_t panel_depth,
               index_t first) {
  using vec = product_lanes<T>;
  const index_t lanes = vec::count(), panel = product_tile<T>::panel();
  index_t whole = 0;
  if (b.column == 1) {
    constexpr index_t ahead = 8, line = 64 / index_t(sizeof(T));
    whole = columns / panel * panel;
    for (index_t k = 0; k < depth; ++k) {
      const T* const from = b.at(k, 0);
      T* row = to + (first + k) * panel;
      if (k + ahead < depth)
        for (index_t j = 0; j < whole; j += line) hwy::Prefetch(from + ahead * b.row + j);
      for (index_t j = 0; j < whole; j += panel, row += panel_depth * panel) {
        vec::store(vec::load(from + j), row);
        vec::store(vec::load(from + j + lanes), row + lanes);
      }
    }
  }
  for (index_t j = whole; j < columns; j += panel) {
    const index_t width = columns - j < panel ? columns - j : panel;
    pack_panel<T, T>({b.at(0, j), b.row, b.column}, depth, width,
                     to + j * panel_depth + first * row_of_panel<T>(width));
  }
}

}  // namespace tenon::inline HWY_NAMESPACE::tiling
