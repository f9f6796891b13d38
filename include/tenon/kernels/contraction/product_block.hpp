// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/kernels/contraction/product_entries.hpp>
#include <tenon/kernels/contraction/product_tile.hpp>
#include <tenon/ops/contraction/packing.hpp>

namespace tenon::kernels::inline HWY_NAMESPACE::tiling {

// A part of the rows of a product, or of the pixels of a convolution, is worth a copy of the other factor from so many
// tiles on.
inline constexpr index_t least_tiles_of_part = 4;

// Memory that is read next, asked for in small pieces while something else is computed: rows of so many bytes, which
// lie so far apart.
class coming_rows {
 public:
  coming_rows() = default;
  // Of a block of B, which is asked for in `pieces` pieces.
  template <class T>
  coming_rows(const strided_matrix<const T>& b, index_t depth, index_t columns, index_t pieces)
      : row_(reinterpret_cast<const char*>(b.data)) {
    const bool by_depth = b.column == 1;
    if (!by_depth && b.row != 1) return;
    rows_ = by_depth ? depth : columns;
    bytes_ = (by_depth ? columns : depth) * index_t(sizeof(T));
    step_ = (by_depth ? b.row : b.column) * index_t(sizeof(T));
    lines_ = (rows_ * ((bytes_ + line - 1) / line) + pieces - 1) / pieces;
    if (lines_ > most_lines) lines_ = most_lines;
  }
  HWY_INLINE void ask() {
    for (index_t i = 0; i < lines_ && rows_ > 0; ++i) {
      hwy::Prefetch(row_ + at_);
      at_ += line;
      if (at_ >= bytes_) at_ = 0, row_ += step_, --rows_;
    }
  }

 private:
  static constexpr index_t line = 64, most_lines = 32;  // what a tile takes longer than
  const char* row_ = nullptr;
  index_t rows_ = 0, bytes_ = 0, step_ = 0, lines_ = 0, at_ = 0;
};

// Rows of a product, some tiles of them, of up to Runs runs each: found once, they meet every panel of a block of
// columns while both are in the second cache.
template <class T, index_t Runs = 1>
class row_tiles {
 public:
  using tile = product_tile<T>;

  bool is_full() const { return count_ == ops::packing::tiles_together; }
  void clear() { count_ = 0; }
  // Calls fill(from, to) for where the entries of `height` more rows begin, from[run * height + row], and their sums.
  template <class Fill>
  void add(index_t height, Fill fill) {
    heights_[count_] = height;
    fill(static_cast<const T**>(from_[count_]), static_cast<T**>(to_[count_]));
    ++count_;
  }
  // Their sums with a panel of `width` columns, from that column of the result on; `factors` lack the rows.
  void multiply(index_t column, index_t width, tile_factors<T> factors, bool accumulate, coming_rows& next) const {
    for (index_t i = 0; i < count_; ++i) {
      T* to[tile::rows];
      for (index_t r = 0; r < heights_[i]; ++r) to[r] = to_[i][r] + column;
      factors.a = from_[i];
      next.ask();
      tile::run(heights_[i], width, factors, to, accumulate);
    }
  }

 private:
  index_t count_ = 0;
  index_t heights_[ops::packing::tiles_together];
  const T* from_[ops::packing::tiles_together][Runs * tile::rows];
  T* to_[ops::packing::tiles_together][tile::rows];
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
    constexpr index_t together = 8, line = 64 / index_t(sizeof(T));
    whole = columns / panel * panel;
    for (index_t k0 = 0; k0 < depth; k0 += together) {
      const index_t last = depth - k0 < together ? depth : k0 + together;
      for (index_t j = 0; j < whole; j += panel) {
        T* row = to + j * panel_depth + (first + k0) * panel;
        for (index_t k = k0; k < last; ++k, row += panel) {
          const T* const from = b.at(k, j);
          if (k + together < depth)
            for (index_t i = 0; i < panel; i += line) hwy::Prefetch(from + together * b.row + i);
          vec::store(vec::load(from), row);
          vec::store(vec::load(from + lanes), row + lanes);
        }
      }
    }
  }
  for (index_t j = whole; j < columns; j += panel) {
    const index_t width = columns - j < panel ? columns - j : panel;
    pack_panel<T, T>({b.at(0, j), b.row, b.column}, depth, width,
                     to + j * panel_depth + first * row_of_panel<T>(width));
  }
}

}  // namespace tenon::kernels::inline HWY_NAMESPACE::tiling
