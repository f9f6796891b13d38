// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/contraction/joined_product.hpp>
#include <tenon/kernels/contraction/product_entries.hpp>
#include <tenon/kernels/tiled_convolution.hpp>
#include <tenon/ops/contraction/convolution.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

namespace tenon::kernels::inline HWY_NAMESPACE {
namespace tiling {

// The elements of T that are multiplied as lanes of L.
template <class T, class L>
using factor_t = std::conditional_t<sizeof(T) == sizeof(L), L, T>;

// How many elements are widened or narrowed at least by each of several threads.
inline constexpr index_t least_shared_elements = 16384;

// Copies all elements of a tensor, wherever they lie, to lanes of T behind each other.
template <class T, class E>
void widen_tensor(const ints& shape, const ints& strides, const E* from, T* to, const workers& helpers) {
  const joined_dimensions<1> rows(shape, {strides});
  const index_t row = rows.size, step = rows.strides[0], together = least_shared_elements / (row + 1) + 1;
  const auto copy = [&](const E* line, index_t first, index_t last, T* copied) {
    if (step == 1) return widen_run(line + first, last - first, copied + first);
    for (index_t i = first; i < last; ++i) copied[i] = widened<T>(line[i * step]);
  };
  if (rows.outer.empty())
    return helpers.for_each_range(row, least_shared_elements,
                                  [&](index_t first, index_t last) { copy(from, first, last, to); });
  helpers.for_each_range(rows.outer.product(), together, [&](index_t first, index_t last) {
    for (index_t i = first; i < last; ++i) {
      index_t offset = 0, number = i;
      for (int d = rows.outer.size - 1; d >= 0; number /= rows.outer.at[d--])
        offset += number % rows.outer.at[d] * rows.outer_strides[0].at[d];
      copy(from + offset, 0, row, to + i * row);
    }
  });
}

// A convolution of narrow elements of T as one of lanes of L.
template <class L, class T>
bool convolve_widened(const ops::convolution& op, const evaluation& e) {
  const tensor_type &lhs = e.operand_types.data[0], &rhs = e.operand_types.data[1], &result = e.result_types.data[0];
  const workers helpers = e.helpers != nullptr ? *e.helpers : workers{};
  const ops::widened_images copies = op.widened(lhs, rhs, result);
  const index_t lhs_batch = op.dimension_numbers.input_batch_dimension;
  const index_t result_batch = op.dimension_numbers.output_batch_dimension, images = result.dim(result_batch);
  const ints lhs_strides = e.strides_of_operand(0);
  L* const of_lhs = static_cast<L*>(e.scratch) + op.packing_bytes(rhs.shape, dtype_of<L>) / index_t(sizeof(L));
  L* const of_rhs = of_lhs + copies.lhs;
  L* const of_result = of_rhs + copies.rhs;
  widen_tensor(rhs.shape, e.strides_of_operand(1), e.operand<T>(1), of_rhs, helpers);
  for (index_t first = 0, count = 0; first < images; first += count) {
    count = images - first < copies.together ? images - first : copies.together;
    tensor_type types[] = {type_of(dtype_of<L>, lhs.shape), type_of(dtype_of<L>, rhs.shape)};
    tensor_type sum_type = type_of(dtype_of<L>, result.shape);
    types[0].shape.set(lhs_batch, lhs.dim(lhs_batch) / images * count);
    sum_type.shape.set(result_batch, count);
    widen_tensor(types[0].shape, lhs_strides, e.operand<T>(0) + first * lhs_strides[lhs_batch], of_lhs, helpers);
    const index_t size = sum_type.size(), begin = first * (result.size() / images);
    const void* const operands[] = {of_lhs, of_rhs};
    void* const results[] = {copies.result > 0 ? of_result : e.result<L>() + begin};
    evaluation part = e;
    part.operands = {operands, 2}, part.operand_types = {types, 2}, part.operand_strides = {};
    part.results = {results, 1}, part.result_types = {&sum_type, 1};
    if (!tiled_convolution<L>(op, part).run()) return false;
    if (copies.result > 0)
      helpers.for_each_range(size, least_shared_elements, [&](index_t from, index_t to) {
        narrow_run(of_result + from, to - from, e.result<T>() + begin + from);
      });
  }
  return true;
}

}  // namespace tiling

// A convolution in the lanes of its products, which narrow elements are copied to, and its sums rounded once. False,
// and nothing is done, for what this has no lanes for, and for results without neighbours.
template <class T>
bool convolve(const ops::convolution& op, const evaluation& e) {
  constexpr dtype lane = ops::product_dimensions::lane_type(dtype_of<T>, dtype_of<T>);
  if (ops::product_dimensions::lane_type(dtype_of<T>, e.result_types.data[0].element) != lane) return false;
  using L = element_t<lane>;
  if constexpr (std::is_same_v<tiling::factor_t<T, L>, L>)
    return tiled_convolution<L>(op, e).run();
  else if constexpr (ops::widens_convolutions)
    return tiling::convolve_widened<L, T>(op, e);
  else
    return false;
}

}  // namespace tenon::kernels::inline HWY_NAMESPACE
