// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/contraction/joined_product.hpp>
#include <tenon/kernels/matrix_product.hpp>

namespace tenon::kernels::inline HWY_NAMESPACE {

// The product of an m x k and a k x n matrix, lhs and rhs, or rhs and lhs if they are `swapped`, and its strides.
struct fixed_matrices {
  index_t m = 0, n = 0, k = 0;
  index_t lhs_row = 0, lhs_column = 0, rhs_row = 0, rhs_column = 0, result_row = 0;
  bool swapped = false;

  constexpr fixed_matrices transposed() const {
    return {n, m, k, rhs_column, rhs_row, lhs_column, lhs_row, m, !swapped};
  }
};

// The one product of matrices that sums of products are, as multiply_matrices does it; of no rows if there are several.
constexpr fixed_matrices fixed_matrices_of(const ops::product_dimensions& dimensions) {
  if (!dimensions.is_whole()) return {};
  const joined_product p(dimensions);
  if (p.outer.count() != 1 || !p.inner.outer.empty()) return {};
  const fixed_matrices found{p.rows.size,          p.columns.size,     p.inner.size,
                             p.rows.strides[0],    p.inner.strides[0], p.inner.strides[1],
                             p.columns.strides[0], p.row_of_result(),  p.swapped};
  const bool is_dense = found.lhs_column == 1 && found.rhs_row == 1;
  return found.n == 1 && found.m > 1 && found.result_row == 1 && !is_dense ? found.transposed() : found;
}

// A product of two small matrices of f32 or f64 whose sizes and strides are constants, `Shape::product`: all tiles are
// written out. Sums are those of matrix_product, bit for bit.
template <class T, class Shape>
class fixed_product {
  static constexpr fixed_matrices p = Shape::product;
  // Vectors are no wider than a row of the result.
  static constexpr index_t bytes_of_row = [] {
    index_t bytes = 16;
    while (bytes < ops::packing::vector_bytes && bytes < p.n * index_t(sizeof(T))) bytes *= 2;
    return bytes;
  }();
  using tile = tiling::product_tile<T, bytes_of_row>;

 public:
  static constexpr bool is_supported() {
    return !HWY_HAVE_SCALABLE && p.m > 0 && p.n > 0 && p.k > 0 && p.m <= 32 && p.n <= 32 && p.k <= 32;
  }

  // `scratch` as for matrix_product.
  static HWY_INLINE void run(const T* lhs, const T* rhs, T* c, void* scratch) {
    const T *const a = p.swapped ? rhs : lhs, *const b = p.swapped ? lhs : rhs;
    if constexpr (block_rows > 1) {
      run_blocks(a, b, c, std::make_integer_sequence<int, int(p.k)>());
    } else if constexpr (p.n == 1 && p.lhs_column == 1 && p.rhs_row == 1) {
      tiling::row_products<T>::template run<(p.m < 4 ? 1 : 4)>(p.m, p.k, a, p.lhs_row, b, c, p.result_row, false);
    } else if constexpr (p.m == 1 && p.lhs_column == 1 && p.rhs_row == 1) {
      tiling::row_products<T>::template run<(p.n < 4 ? 1 : 4)>(p.n, p.k, b, p.rhs_column, a, c, 1, false);
    } else {
      run_panels<0>(a, b, c, static_cast<T*>(scratch));
    }
  }

 private:
  using vec = typename tile::vec;
  static constexpr index_t lanes = vec::most_lanes, panel = tile::vectors * lanes;

  // How many rows of the result are one vector: where all matrices have rows of 16 bytes, the blocks within which
  // elements are repeated without a load. 1: that is not done.
  static constexpr index_t block_rows = [] {
    constexpr index_t block = 16 / index_t(sizeof(T));
    if (HWY_HAVE_SCALABLE || has_emulated_lanes || p.n != block || p.k != block) return index_t(1);
    if (p.lhs_column != 1 || p.lhs_row != block || p.rhs_column != 1 || p.result_row != block) return index_t(1);
    index_t rows = 1;
    while (2 * rows * block <= index_t(hn::MaxLanes(hn::ScalableTag<T>())) && p.m % (2 * rows) == 0) rows *= 2;
    return rows;
  }();

  template <int... K>
  static HWY_INLINE void run_blocks([[maybe_unused]] const T* a, [[maybe_unused]] const T* b, [[maybe_unused]] T* c,
                                    std::integer_sequence<int, K...>) {
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<T, std::size_t(block_rows * p.n)> d;
    for (index_t i = 0; i < p.m; i += block_rows) {
      const auto rows = hn::LoadU(d, a + i * p.lhs_row);
      auto sum = hn::Zero(d);
      ((sum = hn::MulAdd(hn::Broadcast<K>(rows), hn::LoadDup128(d, b + K * p.rhs_row), sum)), ...);
      hn::StoreU(sum, d, c + i * p.result_row);
    }
#endif
  }

  template <index_t J>
  static HWY_INLINE void run_panels(const T* a, const T* b, T* c, T* packed) {
    if constexpr (J < p.n) {
      constexpr index_t left = p.n - J, wide = tile::vectors_of_one_row * lanes;
      constexpr index_t most = p.m == 1 && p.rhs_column == 1 && left >= wide ? wide : panel,
                        width = left < most ? left : most;
      if constexpr (p.rhs_column == 1 && (tile::reads_cut_panels || width % lanes == 0)) {
        run_rows<J, width>(a, b + J, p.rhs_row, c);
      } else {
        const strided_matrix<const T> columns{b + J * p.rhs_column, p.rhs_row, p.rhs_column};
        run_rows<J, width>(a, packed, tiling::pack_panel<T, T>(columns, p.k, width, packed), c);
      }
      run_panels<J + width>(a, b, c, packed);
    }
  }
  template <index_t J, index_t Width>
  static HWY_INLINE void run_rows(const T* a, const T* b, index_t b_step, T* c) {
    constexpr index_t pieces = (p.m + tile::rows - 1) / tile::rows, height = p.m / pieces;
    constexpr index_t longer = p.m % pieces;
    for (index_t i = 0; i < longer; ++i) run_tile<int(height) + 1, J, Width>(i * (height + 1), a, b, b_step, c);
    for (index_t i = longer; i < pieces; ++i) run_tile<int(height), J, Width>(i * height + longer, a, b, b_step, c);
  }
  template <int Height, index_t J, index_t Width>
  static HWY_INLINE void run_tile(index_t i, const T* a, const T* b, index_t b_step, T* c) {
    if constexpr (Height <= tile::rows) {
      const T* from[Height];
      T* to[Height];
      for (int r = 0; r < Height; ++r) from[r] = a + (i + r) * p.lhs_row, to[r] = c + (i + r) * p.result_row + J;
      const tiling::tile_factors<T> factors{from, 1, p.lhs_column, b, b_step, p.k};
      tile::template tile<Height, int((Width + lanes - 1) / lanes)>(Width, factors, to, false);
    }
  }
};

}  // namespace tenon::kernels::inline HWY_NAMESPACE
