// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/epilogues/integer_convolution.hpp>
#include <tenon/kernels/contraction/joined_product.hpp>
#include <tenon/kernels/contraction/untiled_sums.hpp>
#include <tenon/kernels/contraction/widened_convolution.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/kernels/matrix_product.hpp>
#include <tenon/kernels/tiled_convolution.hpp>
#include <tenon/kernels/tuning.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>
#include <tenon/ops/elementwise/add.hpp>

#include <concepts>
#include <cstring>

namespace tenon::kernels::inline HWY_NAMESPACE {

// Element types whose sums of products are computed by tiles.
template <class T>
inline constexpr bool has_tiles = has_lanes<T> && (std::is_same_v<T, f32> || std::is_same_v<T, f64>);

// Of what is summed up where it lies, one pixel or row after the other.
inline constexpr needs needs_in_place{1u << int(product_branch::by_pixels)};

namespace tiling {

// An op that is a convolution of its first two operands says which: `padded`.
template <class Op>
concept convolves = requires(const Op& op, const evaluation& e) {
  { op.padded(e) } -> std::convertible_to<ops::convolution>;
};
// An op that sums up its only operand along whole axes says along which ones: `summed_axes`.
template <class Op>
concept sums_axes = requires(const Op& op, const evaluation& e, ints& axes) {
  { op.summed_axes(e, axes) } -> std::same_as<bool>;
};

}  // namespace tiling

// Products that tiles of vectors are for.
template <dtype T>
inline constexpr bool has_product_tiles = ops::product_dimensions::lane_type(T, T) != dtype::none &&
                                          (ops::product_dimensions::lane_type(T, T) != dtype::f64 || has_lanes<f64>);

// Ops that have tiles of vectors for elements of that type.
template <class Op, dtype T>
inline constexpr bool has_contraction_kernel = [] {
  if constexpr (kernels::multiplies_matrices<Op>)
    return has_product_tiles<T>;
  else if constexpr (tiling::convolves<Op>)
    return has_product_tiles<T> && !is_complex(T);
  else if constexpr (tiling::sums_axes<Op>)
    return has_tiles<element_t<T>>;
  else
    return false;
}();

namespace tiling {

// That part of c (+)= a * b for operands of T, computed in lanes of L, and a result of L or, if it is narrow, of T.
template <class L, class T, needs Needs>
void multiply(index_t m, index_t n, index_t k, const strided_matrix<const T>& a, const strided_matrix<const T>& b,
              void* c, index_t c_row, bool narrow_result, bool accumulate, void* scratch, const product_part& part,
              packed_factor& kept) {
  using factor = factor_t<T, L>;
  const strided_matrix<const factor> left{reinterpret_cast<const factor*>(a.data), a.row, a.column};
  const strided_matrix<const factor> right{reinterpret_cast<const factor*>(b.data), b.row, b.column};
  if constexpr (std::is_same_v<factor, L>) {
    matrix_product<L, Needs>(m, n, k, left, right, static_cast<L*>(c), c_row, accumulate, scratch, part, &kept);
  } else {
    const strided_matrix<const factor> rows{left.at(part.first_row, 0), a.row, a.column};
    const strided_matrix<const factor> columns{right.at(0, part.first_column), b.row, b.column};
    const index_t to = part.first_row * c_row + part.first_column;
    if constexpr (multiplies_in_place && paired_integer<factor>)
      if (!narrow_result || Needs.bits == needs_in_place.bits)
        return multiply_integers<factor>(part.rows, part.columns,
                                         {rows.data, columns.data, a.row, a.column, b.column, b.row, k},
                                         static_cast<std::int32_t*>(c) + to, c_row, accumulate);
    if (!narrow_result)
      return widening_product<L, factor, Needs>(part.rows, part.columns, k, rows, columns,
                                                static_cast<L*>(c) + to * product_entries<L, factor>::lanes_of_column,
                                                c_row, accumulate, scratch);
    if constexpr (sizeof(T) < sizeof(L)) {
      constexpr index_t block_columns = ops::packing::block_bytes / index_t(sizeof(L));
      L* const block = static_cast<L*>(scratch);
      L* const rest = block + ops::packing::result_block(m, n, sizeof(L)) / index_t(sizeof(L));
      for (index_t i = 0; i < part.rows; i += ops::packing::result_rows)
        for (index_t j = 0; j < part.columns; j += block_columns) {
          const index_t height = part.rows - i < ops::packing::result_rows ? part.rows - i : ops::packing::result_rows;
          const index_t width = part.columns - j < block_columns ? part.columns - j : block_columns;
          widening_product<L, factor, Needs>(height, width, k, {rows.at(i, 0), a.row, a.column},
                                             {columns.at(0, j), b.row, b.column}, block, width, false, rest);
          for (index_t r = 0; r < height; ++r)
            narrow_run(block + r * width, width, static_cast<T*>(c) + to + (i + r) * c_row + j);
        }
    }
  }
}

// Calls f(number, part, scratch, kept) for all products, whole or divided by rows or columns where they are few.
template <class L>
void divide_products(const joined_product& p, dtype operand, dtype result, const evaluation& e,
                     function_reference<void(index_t, const product_part&, void*, packed_factor&)> f) {
  const index_t count = p.outer.count(), m = p.rows.size, n = p.columns.size, k = p.inner.size;
  if (e.helpers == nullptr || e.helpers->count() == 1 || !p.is_large()) {
    packed_factor kept;
    for (index_t number = 0; number < count; ++number) f(number, {0, m, 0, n}, e.scratch, kept);
    return;
  }
  const workers& helpers = *e.helpers;
  const bool by_columns = n >= m;
  // A division by rows makes each worker pack all columns.
  const index_t rows = least_tiles_of_part * product_tile<L>::rows;
  const index_t size = by_columns ? n : m, step = by_columns ? product_tile<L>::panel() : rows;
  const index_t steps = (size + step - 1) / step, wanted = (index_t(helpers.count()) * 4 + count - 1) / count;
  const index_t pieces = steps < wanted ? steps : wanted;
  helpers.for_each_range(count * pieces, 1, [&](index_t first, index_t last) {
    void* const scratch = helpers.memory(ops::product_dimensions::scratch_bytes(m, n, k, operand, result));
    packed_factor kept;
    for (index_t i = first; i < last; ++i) {
      const index_t piece = i % pieces, begin = steps * piece / pieces * step;
      const index_t end = piece + 1 == pieces ? size : steps * (piece + 1) / pieces * step;
      f(i / pieces, by_columns ? product_part{0, m, begin, end - begin} : product_part{begin, end - begin, 0, n},
        scratch, kept);
    }
  });
}

}  // namespace tiling

// Whether multiply_matrices does a product of elements of T with such a result.
template <class T>
constexpr bool has_tiles_for(const joined_product& p, dtype result) {
  constexpr dtype element = dtype_of<T>;
  if (ops::product_dimensions::lane_type(element, result) != ops::product_dimensions::lane_type(element, element))
    return false;
  if (!ops::product_dimensions::fills_lanes(result) && !p.inner.outer.empty()) return false;
  // A vector meets every entry of a matrix once, which is not worth a copy in two lanes each.
  return !is_complex(element) || (p.rows.size != 1 && p.columns.size != 1);
}

template <class T>
constexpr needs needs_of_product(const joined_product& p, dtype result) {
  using L = element_t<ops::product_dimensions::lane_type(dtype_of<T>, dtype_of<T>)>;
  using entries = tiling::product_entries<L, tiling::factor_t<T, L>>;
  const index_t m = p.rows.size, n = p.columns.size, k = p.inner.size;
  needs all;
  if (ops::product_dimensions::works_in_place(dtype_of<T>, result)) return needs_in_place;
  if constexpr (std::is_same_v<tiling::factor_t<T, L>, L>) {
    tiling::add_needs_of_product<L>(all, m, n, k, {nullptr, p.rows.strides[0], p.inner.strides[0]},
                                    {nullptr, p.inner.strides[1], p.columns.strides[0]}, p.row_of_result(),
                                    p.is_large(), false);
  } else {
    const index_t most = ops::product_dimensions::fills_lanes(result) ? m + 1 : ops::packing::result_rows;
    for (const index_t height : {m / most > 0 ? most : 0, m % most})
      if (height > 0)
        entries::tile::add_needs(all, height, n * entries::lanes_of_column, p.is_large() && n < m,
                                 p.is_large() && m == 1);
  }
  return all;
}

// Sums of products by matrix products, one for each index that the dimensions of an operand do not join, in ascending
// order of the contracting index, in blocks. False, and nothing is done, for elements without lanes.
template <class T, needs Needs = needs::all()>
bool multiply_matrices(const joined_product& p, const evaluation& e) {
  using L = element_t<ops::product_dimensions::lane_type(dtype_of<T>, dtype_of<T>)>;
  const dtype element = e.result_types.data[0].element;
  if (!has_tiles_for<T>(p, element)) return false;
  const index_t result_bytes = storage_bytes(element);
  const bool narrow_result = !ops::product_dimensions::fills_lanes(element);
  if (e.operand_types.data[0].size() == 0 || e.operand_types.data[1].size() == 0) {
    if (e.result_types.data[0].size() > 0)
      std::memset(e.results.data[0], 0, std::size_t(e.result_types.data[0].size() * result_bytes));
    return true;
  }
  const T* const lhs = e.operand<T>(p.swapped ? 1 : 0);
  const T* const rhs = e.operand<T>(p.swapped ? 0 : 1);
  const index_t m = p.rows.size, n = p.columns.size, k = p.inner.size;
  if constexpr (paired_integer<T>)
    if (e.epilogue.run != nullptr) {
      multiply_for_epilogue<T>(
          m, n, {lhs, rhs, p.rows.strides[0], p.inner.strides[0], p.columns.strides[0], p.inner.strides[1], k},
          e.result<std::int32_t>(), e.epilogue);
      return true;
    }
  tiling::divide_products<L>(
      p, dtype_of<T>, element, e, [&](index_t number, const product_part& part, void* scratch, packed_factor& kept) {
        p.multiply(number, [&](index_t a, index_t b, index_t result, bool accumulate) {
          tiling::multiply<L, T, Needs>(m, n, k, {lhs + a, p.rows.strides[0], p.inner.strides[0]},
                                        {rhs + b, p.inner.strides[1], p.columns.strides[0]},
                                        e.result<std::byte>() + result * result_bytes, p.row_of_result(), narrow_result,
                                        accumulate, scratch, part, kept);
        });
      });
  return true;
}

// Runs an op by the kernel for what it says of itself; the others evaluate themselves.
template <class Op, class T, needs Needs = needs::all()>
void contraction_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  if constexpr (kernels::multiplies_matrices<Op> && has_product_tiles<dtype_of<T>>)
    if (e.product != nullptr && multiply_matrices<T, Needs>(*e.product, e)) return;
  if constexpr (tiling::convolves<Op>)
    if (convolve<T, Needs>(op.padded(e), e)) return;
  if constexpr (!Needs.has(product_branch::otherwise)) {
    begin_branch<Needs, product_branch::otherwise>();
  } else if constexpr (kernels::multiplies_matrices<Op>) {
    const ops::product_dimensions product = kernels::product_of(op, e.operand_types, e.details, e.operand_strides);
    if constexpr (has_product_tiles<dtype_of<T>>)
      if (e.product == nullptr && product.is_whole() && multiply_matrices<T>(joined_product(product), e)) return;
    if (product.is_whole()) return sum_in_blocks<T>(e, product);
  } else if constexpr (!tiling::convolves<Op> && std::is_same_v<compute_t<T>, T>) {
    if (ints axes; e.result_types[0].element == dtype_of<T> && op.summed_axes(e, axes))
      return fold<ops::add, T>::run(e.operand<T>(0), 0, e.result<T>(), e.operand_types.data[0].shape, axes,
                                    e.helpers != nullptr ? *e.helpers : workers{});
  }
  if constexpr (Needs.has(product_branch::otherwise)) op.template evaluate<T>(e);
}

template <class Op, class T>
constexpr needs needs_of_contraction(const evaluation& e, [[maybe_unused]] bool has_product) {
  [[maybe_unused]] const dtype result = e.result_types.data[0].element;
  // An op that gives pixels one after the other does so for all of them.
  if constexpr (requires(Op op) { op.epilogue_unit(e.operand_types, e.result_types.data[0]); })
    if (read_attributes<Op>(e.words).epilogue_unit(e.operand_types, e.result_types.data[0]) > 0) return needs_in_place;
  if constexpr (kernels::multiplies_matrices<Op> && has_product_tiles<dtype_of<T>>) {
    if (has_product && has_tiles_for<T>(*e.product, result)) return needs_of_product<T>(*e.product, result);
  } else if constexpr (requires(Op op) {
                         { op.padded(e) } -> std::same_as<const Op&>;
                       }) {
    using L = element_t<ops::product_dimensions::lane_type(dtype_of<T>, dtype_of<T>)>;
    if constexpr (has_product_tiles<dtype_of<T>> && std::is_same_v<tiling::factor_t<T, L>, L> && !HWY_HAVE_SCALABLE)
      if (ops::product_dimensions::lane_type(dtype_of<T>, result) == dtype_of<L>)
        return convolution_layout(read_attributes<Op>(e.words), e).template needs_of<tiling::product_tile<L>>();
  }
  return needs::all();
}

}  // namespace tenon::kernels::inline HWY_NAMESPACE
