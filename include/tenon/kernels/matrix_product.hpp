// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/kernels/contraction/product_entries.hpp>
#include <tenon/kernels/joined/joined_entries.hpp>
#include <tenon/ops/contraction/packing.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tenon::kernels::inline HWY_NAMESPACE {

// Some rows and columns of a product.
struct product_part {
  index_t first_row, rows, first_column, columns;

  constexpr product_part transposed() const { return {first_column, columns, first_row, rows}; }
};

// The factor whose panels lie in the scratch memory of products that follow each other: one that they share is copied
// once. @pre their sizes, strides and scratch memory are the same
struct packed_factor {
  const void* of = nullptr;
  index_t first_column = 0, columns = 0;
};

namespace tiling {

// Tiles of a part of a product or convolution that are worth a copy of the other factor.
inline constexpr index_t least_tiles_of_part = 4;

// Prefetches strided rows in small pieces while tiles are computed.
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
  template <needs Needs>
  void multiply(index_t column, index_t width, tile_factors<T> factors, bool accumulate, coming_rows& next) const {
    for (index_t i = 0; i < count_; ++i) {
      T* to[tile::rows];
      for (index_t r = 0; r < heights_[i]; ++r) to[r] = to_[i][r] + column;
      factors.a = from_[i];
      next.ask();
      tile::template run<Needs>(heights_[i], width, factors, to, accumulate);
    }
  }

 private:
  index_t count_ = 0;
  index_t heights_[ops::packing::tiles_together];
  const T* from_[ops::packing::tiles_together][Runs * tile::rows];
  T* to_[ops::packing::tiles_together][tile::rows];
};

// Calls f(column, width, offset in the copy) for the panels of a block of `columns` columns and that depth.
template <class T, class Function>
HWY_INLINE void for_each_panel(index_t columns, index_t depth, Function f) {
  const index_t panel = product_tile<T>::panel();
  for (index_t j = 0; j < columns; j += panel) f(j, columns - j < panel ? columns - j : panel, j * depth);
}
// The length of the rows of a panel of `width` columns.
template <class T>
index_t row_of_panel(index_t width) {
  using tile = product_tile<T>;
  return width > tile::lanes() ? tile::panel() : tile::lanes();
}

// Copies `depth` x `columns` entries of B to rows `first` to `first` + `depth` of consecutive panels of `panel_depth`
// rows. Dense rows are read in the order of memory, and prefetched.
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

// to[i] (+)= sum over j of rows[i * Length + j] * vector[j], in the order of j. Lanes are rows.
template <int Length, class T>
void products_of_short_rows(index_t count, const T* rows, const T* vector, T* to, bool accumulate) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<hn::ScalableTag<T>>;
  const index_t lanes = index_t(hn::Lanes(d));
  const auto products = [&](const T* from, V sum) HWY_ATTR {
    V x, y, z, w;
    if constexpr (Length == 2)
      hn::LoadInterleaved2(d, from, x, y);
    else if constexpr (Length == 3)
      hn::LoadInterleaved3(d, from, x, y, z);
    else
      hn::LoadInterleaved4(d, from, x, y, z, w);
    using vec = product_lanes<T, ops::packing::vector_bytes, false>;
    const auto add = [&](V column, T factor) HWY_ATTR { sum = vec::multiply_add(column, hn::Set(d, factor), sum); };
    add(x, vector[0]), add(y, vector[1]);
    if constexpr (Length > 2) add(z, vector[2]);
    if constexpr (Length > 3) add(w, vector[3]);
    return sum;
  };
  index_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(products(rows + i * Length, accumulate ? hn::LoadU(d, to + i) : hn::Zero(d)), d, to + i);
  if (const std::size_t left = std::size_t(count - i); left > 0) {
    HWY_ALIGN T last[Length * hn::MaxLanes(d)] = {};
    std::memcpy(last, rows + i * Length, left * Length * sizeof(T));
    store_first(products(last, accumulate ? load_first(d, to + i, left) : hn::Zero(d)), d, to + i, left);
  }
}
// Whether a matrix of m rows, which lie so far apart, is one of short rows, whatever part of it is asked for.
constexpr bool has_short_rows(index_t m, index_t length, index_t row) {
  return m > 32 && row == length && 2 <= length && length <= 4;
}

// to[i * to_step] (+)= sum over j of rows[i * row + j] * vector[j]. Two vectors alternate along a row.
// `Most`: of rows, where few are known to come.
template <class T>
class row_products {
 public:
  template <index_t Most = 4>
  static void run(index_t count, index_t length, const T* rows, index_t row, const T* vector, T* to, index_t to_step,
                  bool accumulate) {
    index_t i = 0;
    for (; Most >= 4 && i + 4 <= count; i += 4)
      with_zeros<4>(length, rows + i * row, row, vector, to + i * to_step, to_step, accumulate);
    for (; i < count; ++i) with_zeros<1>(length, rows + i * row, row, vector, to + i * to_step, to_step, accumulate);
  }

 private:
  using vec = product_lanes<T>;

  template <int Rows>
  static void with_zeros(index_t length, const T* rows, index_t row, const T* vector, T* to, index_t to_step,
                         bool accumulate) {
    [&]<int... I>(std::integer_sequence<int, I...> indices) {
      with_sums<Rows>(indices, length, rows, row, vector, to, to_step, accumulate, ((void)I, vec::zero())...);
    }(std::make_integer_sequence<int, 2 * Rows>());
  }
  // Sum I is that of row I % Rows over every other vector.
  template <int Rows, int... I, class... Sums>
  static HWY_INLINE void with_sums(std::integer_sequence<int, I...>, index_t length, const T* rows, index_t row,
                                   const T* vector, T* to, index_t to_step, bool accumulate, Sums... sums) {
    const index_t n = vec::count();
    index_t j = 0;
    for (; j + 2 * n <= length; j += 2 * n)
      ((sums = vec::multiply_add(vec::load(rows + I % Rows * row + j + I / Rows * n),
                                 vec::load(vector + j + I / Rows * n), sums)),
       ...);
    if (j < length) {
      const index_t first = length - j < n ? length - j : n, second = length - j - first;
      const auto part = [&](const T* from, int half) {
        return vec::load_first(from + (half == 0 ? j : j + first), half == 0 ? first : second);
      };
      ((sums = vec::multiply_add(part(rows + I % Rows * row, I / Rows), part(vector, I / Rows), sums)), ...);
    }
    T totals[4];
    add_up(totals, sums...);
    for (int i = 0; i < Rows; ++i) to[i * to_step] = accumulate ? to[i * to_step] + totals[i] : totals[i];
  }
  using V = typename vec::V;
  static HWY_INLINE void add_up(T* to, V a, V b, V c, V d, V a2, V b2, V c2, V d2) {
    vec::totals(vec::add(a, a2), vec::add(b, b2), vec::add(c, c2), vec::add(d, d2), to);
  }
  static HWY_INLINE void add_up(T* to, V a, V a2) {
    const V sum = vec::add(a, a2);
    vec::totals(sum, sum, sum, sum, to);
  }
};

// Calls f(rows) for the rows of that part of a product, some tiles at a time, from entry k0 of each on.
template <class T, class Function>
HWY_INLINE void for_each_batch(const product_part& part, const strided_matrix<const T>& a, index_t k0, T* c,
                               index_t c_row, Function f) {
  row_tiles<T> rows;
  const index_t last_row = part.first_row + part.rows;
  for_each_piece(part.rows, product_tile<T>::rows, [&](index_t piece, index_t height) {
    const index_t i = part.first_row + piece;
    rows.add(height, [&](const T** from, T** to) {
      for (index_t r = 0; r < height; ++r) {
        from[r] = a.at(i + r, k0);
        to[r] = c + (i + r) * c_row;
      }
    });
    if (!rows.is_full() && i + height < last_row) return;
    f(rows);
    rows.clear();
  });
}

// That part of c (+)= a * b, block by block of b, which is copied. Sums are formed in blocks of packing::block_depth.
template <class T, needs Needs>
void packed_product(index_t k, const strided_matrix<const T>& a, const strided_matrix<const T>& b, T* c, index_t c_row,
                    bool accumulate, T* packed, const product_part& part, packed_factor* kept = nullptr) {
  using tile = product_tile<T>;
  constexpr index_t block_columns = ops::packing::block_bytes / index_t(sizeof(T));
  const bool is_one_block = k <= ops::packing::block_depth && part.columns <= block_columns;
  const bool is_packed =
      kept != nullptr && kept->of == b.data && kept->first_column == part.first_column && kept->columns == part.columns;
  if (kept != nullptr) *kept = {is_one_block ? b.data : nullptr, part.first_column, part.columns};
  const index_t last_column = part.first_column + part.columns;
  const auto columns_from = [&](index_t j) { return std::min(last_column - j, block_columns); };
  const auto depth_from = [&](index_t i) { return std::min(k - i, ops::packing::block_depth); };
  const auto tiles_of = [](index_t size, index_t step) { return (size + step - 1) / step; };
  for (index_t j0 = part.first_column; j0 < last_column; j0 += block_columns) {
    const index_t columns = columns_from(j0);
    index_t k0 = 0;
    do {
      const index_t depth = depth_from(k0);
      if (!is_packed) pack_rows<T>({b.at(k0, j0), b.row, b.column}, depth, columns, packed, depth, 0);
      const bool goes_deeper = k0 + depth < k;
      const index_t next_j = goes_deeper ? j0 : j0 + columns, next_k = goes_deeper ? k0 + depth : 0;
      coming_rows next;
      if (next_j < last_column)
        next = coming_rows(strided_matrix<const T>{b.at(next_k, next_j), b.row, b.column}, depth_from(next_k),
                           columns_from(next_j), tiles_of(part.rows, tile::rows) * tiles_of(columns, tile::panel()));
      for_each_batch(part, a, k0, c, c_row, [&](const row_tiles<T>& rows) {
        for_each_panel<T>(columns, depth, [&](index_t j, index_t width, index_t place) {
          rows.template multiply<Needs>(j0 + j, width,
                                        {nullptr, 1, a.column, packed + place, row_of_panel<T>(width), depth},
                                        accumulate || k0 > 0, next);
        });
      });
      k0 += ops::packing::block_depth;
    } while (k0 < k);
  }
}

// Whether a k x n matrix does.
template <class T>
constexpr bool fits_first_cache(index_t n, index_t k) {
  return n * k * index_t(sizeof(T)) <= 64 * 1024;
}
// How matrix_product does a product.
template <class T>
constexpr product_branch way_of_product(index_t m, index_t n, index_t k, const strided_matrix<const T>& a,
                                        const strided_matrix<const T>& b, index_t c_row) {
  if (n == 1 && a.column == 1 && b.row == 1)
    return c_row == 1 && has_short_rows(m, k, a.row) ? product_branch::short_rows : product_branch::rows;
  if (n == 1 && c_row == 1 && m > 1) return product_branch::transposed;
  // Few rows by columns of neighbours, which a copy of the columns would take longer than.
  const bool is_worth_copying = m > 1 && (k < 64 || m > 24 || 32 * m > k * index_t(sizeof(T)));
  if (a.column == 1 && b.row == 1 && !is_worth_copying) return product_branch::rows;
  const bool is_small = fits_first_cache<T>(n, k) || m <= 3 * product_tile<T>::rows;
  return b.column == 1 && is_small ? product_branch::as_it_lies : product_branch::packed;
}

// Adds what it takes; `divided`: in parts, too.
template <class T>
constexpr void add_needs_of_product(needs& all, index_t m, index_t n, index_t k, const strided_matrix<const T>& a,
                                    const strided_matrix<const T>& b, index_t c_row, bool divided, bool any_columns) {
  const product_branch way = way_of_product(m, n, k, a, b, c_row);
  all.add(way);
  if (way == product_branch::transposed)
    add_needs_of_product(all, n, m, k, b.transposed(), a.transposed(), m, false, divided);
  else if (way == product_branch::as_it_lies || way == product_branch::packed)
    product_tile<T>::add_needs(all, m, n, divided && n < m, any_columns || (divided && m == 1));
}

}  // namespace tiling

// That part of c (+)= a * b for an m x k matrix a and a k x n matrix b; rows of c are dense. `scratch` has
// packing::product(m, n, k, sizeof(T)) bytes. The order of sums depends on strides and whole sizes alone.
template <class T, needs Needs = needs::all()>
void matrix_product(index_t m, index_t n, index_t k, const strided_matrix<const T>& a, const strided_matrix<const T>& b,
                    T* c, index_t c_row, bool accumulate, void* scratch, const product_part& part,
                    packed_factor* kept = nullptr) {
  const product_branch way = tiling::way_of_product(m, n, k, a, b, c_row);
  if (way == product_branch::short_rows) {
    begin_branch<Needs, product_branch::short_rows>();
    const auto run = k == 2   ? tiling::products_of_short_rows<2, T>
                     : k == 3 ? tiling::products_of_short_rows<3, T>
                              : tiling::products_of_short_rows<4, T>;
    run(part.rows, a.at(part.first_row, 0), b.data, c + part.first_row, accumulate);
  } else if (way == product_branch::rows) {
    begin_branch<Needs, product_branch::rows>();
    if (n == 1)
      tiling::row_products<T>::run(part.rows, k, a.at(part.first_row, 0), a.row, b.data, c + part.first_row * c_row,
                                   c_row, accumulate);
    else
      // Some columns meet all rows while they are in the first cache.
      for (index_t j = 0, some = part.rows == 1 ? part.columns : 4; j < part.columns; j += some)
        for (index_t i = part.first_row; i < part.first_row + part.rows; ++i)
          tiling::row_products<T>::run(std::min(part.columns - j, some), k, b.at(0, part.first_column + j), b.column,
                                       a.at(i, 0), c + i * c_row + part.first_column + j, 1, accumulate);
  } else if (way == product_branch::transposed) {
    begin_branch<Needs, product_branch::transposed>();
    matrix_product<T, Needs>(n, m, k, b.transposed(), a.transposed(), c, m, accumulate, scratch, part.transposed(),
                             kept);
  } else if (way == product_branch::packed) {
    begin_branch<Needs, product_branch::packed>();
    tiling::packed_product<T, Needs>(k, a, b, c, c_row, accumulate, static_cast<T*>(scratch), part, kept);
  } else {
    // All of b is read once, in the order of its rows.
    begin_branch<Needs, product_branch::as_it_lies>();
    T* const packed = static_cast<T*>(scratch);
    using tile = tiling::product_tile<T>;
    const index_t last_column = part.first_column + part.columns;
    const index_t most = !tiling::fits_first_cache<T>(n, k) ? 32
                         : tile::reads_cut_panels           ? k
                                                            : ops::packing::block_depth;
    const index_t panel = m == 1 ? tile::vectors_of_one_row * tile::lanes() : tile::panel();
    tiling::coming_rows nothing;
    index_t k0 = 0;
    do {
      const index_t depth = k - k0 < most ? k - k0 : most;
      tiling::for_each_batch(part, a, k0, c, c_row, [&](const tiling::row_tiles<T>& rows) {
        for (index_t j = part.first_column, width = 0; j < last_column; j += width) {
          const index_t left = last_column - j;
          width = left >= panel ? panel : left < tile::panel() ? left : tile::panel();
          tiling::tile_factors<T> factors{nullptr, 1, a.column, b.at(k0, j), b.row, depth};
          if (!tile::reads_cut_panels && width % tile::lanes() != 0)
            factors.b = packed,
            factors.b_step = tiling::pack_panel<T, T>({b.at(k0, j), b.row, b.column}, depth, width, packed);
          rows.template multiply<Needs>(j, width, factors, accumulate || k0 > 0, nothing);
        }
      });
      k0 += most;
    } while (k0 < k);
  }
}

// All of a product for elements that become lanes of T in another way, of which c is made, depth by depth. `scratch`
// has in addition packing::widened_rows(k, sizeof(T)) bytes.
template <class T, class E, needs Needs>
void widening_product(index_t m, index_t n, index_t k, const strided_matrix<const E>& a,
                      const strided_matrix<const E>& b, T* c, index_t c_row, bool accumulate, void* scratch) {
  using entries = tiling::product_entries<T, E>;
  constexpr index_t in_column = entries::lanes_of_column;
  constexpr index_t block_columns = ops::packing::block_bytes / index_t(sizeof(T)) / in_column;
  constexpr index_t block_depth = (ops::packing::block_depth - entries::first_rows) * entries::together / in_column;
  T* const rows = static_cast<T*>(scratch);
  T* const packed = rows + ops::packing::widened_rows(in_column * k, sizeof(T)) / index_t(sizeof(T));
  const auto for_each_block = [&](auto multiply) {
    for (index_t j0 = 0; j0 < n; j0 += block_columns) {
      index_t k0 = 0;
      do {
        multiply(j0, n - j0 < block_columns ? n - j0 : block_columns, k0, k - k0 < block_depth ? k - k0 : block_depth);
        k0 += block_depth;
      } while (k0 < k);
    }
  };
  if constexpr (entries::together > 1)
    if (m <= 8 && a.column == 1 && b.row == 1) return entries::multiply_lines(m, n, k, a, b, c, c_row, accumulate);
  if constexpr (in_column == 1) {
    if (m == 1 && b.column == 1) {
      // One row reads its panels where they lie.
      using single = tiling::widened_entries<T, E>;
      using tile = typename single::tile;
      const index_t wide = tile::vectors_of_one_row * tile::lanes();
      return for_each_block([&](index_t j0, index_t columns, index_t k0, index_t depth) {
        single::pack_row(a, 0, k0, depth, rows);
        const T* const from[] = {rows};
        for (index_t j = 0, width = 0; j < columns; j += width) {
          width = columns - j >= wide ? wide : columns - j < tile::panel() ? columns - j : tile::panel();
          T* const to[] = {c + j0 + j};
          tile::template run<Needs, E>(1, width, {from, 1, 1, b.at(k0, j0 + j), b.row, depth}, to,
                                       accumulate || k0 > 0);
        }
      });
    }
  }
  using tile = typename entries::tile;
  const index_t panel = tile::panel() / in_column;
  for_each_block([&](index_t j0, index_t columns, index_t k0, index_t depth) {
    const index_t deep = entries::lanes_deep(depth), panel_deep = deep + entries::first_rows;
    for (index_t j = 0; j < columns; j += panel)
      entries::pack_panel({b.at(k0, j0 + j), b.row, b.column}, depth, columns - j < panel ? columns - j : panel,
                          packed + j * in_column * panel_deep);
    tiling::for_each_piece(m, tile::rows, [&](index_t i, index_t height) {
      const T* from[tile::rows];
      T* to[tile::rows];
      for (index_t r = 0; r < height; ++r) {
        entries::pack_row(a, i + r, k0, depth, rows + r * deep);
        from[r] = rows + r * deep;
      }
      for (index_t j = 0; j < columns; j += panel) {
        const index_t width = (columns - j < panel ? columns - j : panel) * in_column;
        for (index_t r = 0; r < height; ++r) to[r] = c + ((i + r) * c_row + j0 + j) * in_column;
        tile::template run<Needs>(height, width,
                                  {from, 1, 1, packed + j * in_column * panel_deep,
                                   width > tile::lanes() ? tile::panel() : tile::lanes(), deep},
                                  to, accumulate || k0 > 0);
      }
    });
  });
}

}  // namespace tenon::kernels::inline HWY_NAMESPACE
