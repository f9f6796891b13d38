// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/matrix_product.hpp>
#include <tenon/kernels/tiled_convolution.hpp>
#include <tenon/ops/contraction/dot.hpp>

namespace tenon::inline HWY_NAMESPACE {

// Element types whose products are computed by tiles.
template <class T>
inline constexpr bool has_tiles = has_lanes<T> && (std::is_same_v<T, f32> || std::is_same_v<T, f64>);

// Ops that have a kernel here, for elements of that type.
template <class Op, dtype T>
inline constexpr bool has_contraction_kernel =
    (std::is_same_v<Op, ops::dot_general> || std::is_same_v<Op, ops::dot> || std::is_same_v<Op, ops::convolution>) &&
    (T == dtype::f32 || (T == dtype::f64 && has_lanes<f64>));

namespace tiling {

// Dimensions that one or two tensors share, cut in two: the last of them, as far as they lie behind each other in the
// memory of every tensor, count as one dimension of `size`; the others are looped over.
template <int Tensors>
struct joined_dimensions {
  ints outer;  // sizes
  ints outer_strides[Tensors];
  index_t size = 1;
  index_t strides[Tensors];

  joined_dimensions(const ints& sizes, const ints (&all_strides)[Tensors]) {
    for (index_t& stride : strides) stride = 1;
    int axis = sizes.size - 1;
    bool joining = true;
    for (; axis >= 0; --axis) {
      if (sizes.at[axis] == 1) continue;
      for (int t = 0; t < Tensors; ++t) {
        if (size == 1) strides[t] = all_strides[t][axis];
        joining = joining && all_strides[t][axis] == strides[t] * size;
      }
      if (!joining) break;
      size *= sizes.at[axis];
    }
    for (int i = 0; i <= axis; ++i) {
      outer.push(sizes.at[i]);
      for (int t = 0; t < Tensors; ++t) outer_strides[t].push(all_strides[t][i]);
    }
  }
};

}  // namespace tiling

// dot_general of f32 or f64 by matrix products, one for each index that the dimensions of an operand do not join. Other
// types, and results of another type than the operands, are left to the op itself. Sums are formed in ascending order
// of the contracting index, in blocks.
template <class T>
void dot_general_kernel(const ops::dot_general& op, const evaluation& e) {
  if constexpr (has_tiles<T>) {
    if (e.result_types[0].element == dtype_of<T>) {
      const auto& [lhs_batching, rhs_batching, lhs_contracting, rhs_contracting] = op.dot_dimension_numbers;
      const ints &lhs = e.operand_types.data[0].shape, &rhs = e.operand_types.data[1].shape;
      const ints lhs_strides = strides_of(lhs), rhs_strides = strides_of(rhs);
      const ints lhs_free = op.dot_dimension_numbers.lhs_result_dimensions(lhs.size);
      const ints rhs_free = op.dot_dimension_numbers.rhs_result_dimensions(rhs.size);
      const index_t all_rows = lhs.select(lhs_free).product(), all_columns = rhs.select(rhs_free).product();
      const ints free_strides = strides_of(lhs.select(lhs_free)), columns_strides = strides_of(rhs.select(rhs_free));
      ints row_strides;  // of the result
      for (index_t stride : free_strides) row_strides.push(stride * all_columns);
      const ints batch_shape = lhs.select(lhs_batching);
      ints batch_strides = strides_of(batch_shape);
      for (int i = 0; i < batch_strides.size; ++i) batch_strides.at[i] *= all_rows * all_columns;

      using tiling::joined_dimensions;
      const joined_dimensions<2> rows(lhs.select(lhs_free), {lhs_strides.select(lhs_free), row_strides});
      const joined_dimensions<2> columns(rhs.select(rhs_free), {rhs_strides.select(rhs_free), columns_strides});
      const joined_dimensions<2> inner(lhs.select(lhs_contracting),
                                       {lhs_strides.select(lhs_contracting), rhs_strides.select(rhs_contracting)});
      if (e.operand_types.data[0].size() == 0 || e.operand_types.data[1].size() == 0) {
        for (index_t i = 0; i < e.result_types.data[0].size(); ++i) e.result<T>()[i] = 0;
        return;
      }
      const auto multiply = [&](const T* a, const T* b, T* c) {
        bool accumulate = false;
        for_each_offset(
            inner.outer,
            [&](index_t a_offset, index_t b_offset) {
              matrix_product<T>(rows.size, columns.size, inner.size, {a + a_offset, rows.strides[0], inner.strides[0]},
                                {b + b_offset, inner.strides[1], columns.strides[0]}, c, all_columns, accumulate,
                                e.scratch);
              accumulate = true;
            },
            inner.outer_strides[0], inner.outer_strides[1]);
      };
      for_each_offset(
          batch_shape,
          [&](index_t lhs_batch, index_t rhs_batch, index_t result_batch) {
            const T* const a = e.operand<T>(0) + lhs_batch;
            const T* const b = e.operand<T>(1) + rhs_batch;
            T* const c = e.result<T>() + result_batch;
            for_each_offset(
                rows.outer,
                [&](index_t from_row, index_t to_row) {
                  for_each_offset(
                      columns.outer,
                      [&](index_t from_column, index_t to_column) {
                        multiply(a + from_row, b + from_column, c + to_row + to_column);
                      },
                      columns.outer_strides[0], columns.outer_strides[1]);
                },
                rows.outer_strides[0], rows.outer_strides[1]);
          },
          lhs_strides.select(lhs_batching), rhs_strides.select(rhs_batching), batch_strides);
      return;
    }
  }
  op.template evaluate<T>(e);
}
// convolution of f32 or f64 by tiles; other types, results of another type than the operands, and layouts without
// neighbours in the result are left to the op itself.
template <class T>
void convolution_kernel(const ops::convolution& op, const evaluation& e) {
  if constexpr (has_tiles<T>)
    if (e.result_types[0].element == dtype_of<T> && tiled_convolution<T>(op, e).run()) return;
  op.template evaluate<T>(e);
}
template <class Op, class T>
void contraction_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  if constexpr (std::is_same_v<Op, ops::convolution>)
    convolution_kernel<T>(op, e);
  else if constexpr (std::is_same_v<Op, ops::dot>)
    dot_general_kernel<T>(op.general(e.operand_types.data[0].rank()), e);
  else
    dot_general_kernel<T>(op, e);
}

}  // namespace tenon::inline HWY_NAMESPACE
