// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/epilogues/integer_convolution.hpp>
#include <tenon/kernels/contraction/joined_product.hpp>
#include <tenon/kernels/contraction/product_entries.hpp>
#include <tenon/kernels/tiled_convolution.hpp>
#include <tenon/kernels/tuning.hpp>
#include <tenon/ops/contraction/convolution.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

namespace tenon::kernels::inline HWY_NAMESPACE {
namespace tiling {

// The elements of T that are multiplied as lanes of L.
template <class T, class L>
using factor_t = std::conditional_t<sizeof(T) == sizeof(L), L, T>;

// Copies all elements of a tensor, wherever they lie, to lanes of T behind each other.
template <class T, class E>
void widen_tensor(const ints& shape, const ints& strides, const E* from, T* to, const workers& helpers) {
  const joined_dimensions<1> rows(shape, {strides});
  const index_t row = rows.size, step = rows.strides[0], together = tuning::least_shared_elements / (row + 1) + 1;
  const auto copy = [&](const E* line, index_t first, index_t last, T* copied) {
    if (step == 1) return widen_run(line + first, last - first, copied + first);
    for (index_t i = first; i < last; ++i) copied[i] = widened<T>(line[i * step]);
  };
  if (rows.outer.empty())
    return helpers.for_each_range(row, tuning::least_shared_elements,
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
class widened_convolution {
 public:
  widened_convolution(const ops::convolution& op, const evaluation& e)
      : op_(op), e_(e), copies_(op.widened(lhs(), rhs(), result())) {}

  bool run() const {
    if (result().size() == 0 || lhs().size() == 0 || rhs().size() == 0) return result().size() == 0;
    widen_tensor(rhs().shape, e_.strides_of_operand(1), e_.operand<T>(1), rhs_copy_, helpers_);
    const index_t images = result().dim(op_.dimension_numbers.output_batch_dimension);
    const index_t rows = copies_.rows_of_image, image = result().size() / images;
    for (index_t first = 0; first < images; first += copies_.together)
      for (index_t row = 0; row < rows; row += copies_.rows) {
        const index_t left = images - first, rows_left = rows - row;
        if (!run_part(first, left < copies_.together ? left : copies_.together, row,
                      rows_left < copies_.rows ? rows_left : copies_.rows, first * image + row * (image / rows)))
          return false;
      }
    return true;
  }

 private:
  const tensor_type& lhs() const { return e_.operand_types.data[0]; }
  const tensor_type& rhs() const { return e_.operand_types.data[1]; }
  const tensor_type& result() const { return e_.result_types.data[0]; }

  // So many images, and so many rows of pixels of each, whose results begin there.
  bool run_part(index_t first, index_t images, index_t row, index_t rows, index_t begin) const {
    const convolution_dimension_numbers& numbers = op_.dimension_numbers;
    const index_t batch = numbers.input_batch_dimension, all = result().dim(numbers.output_batch_dimension);
    const ints strides = e_.strides_of_operand(0);
    tensor_type types[] = {type_of(dtype_of<L>, lhs().shape), type_of(dtype_of<L>, rhs().shape)};
    tensor_type sum_type = type_of(dtype_of<L>, result().shape);
    types[0].shape.set(batch, lhs().dim(batch) / all * images);
    sum_type.shape.set(numbers.output_batch_dimension, images);
    const T* from = e_.operand<T>(0) + first * strides[batch];
    ops::convolution part = op_;
    if (rows < copies_.rows_of_image) {
      const index_t dimension = numbers.input_spatial_dimensions[0];
      const ops::rows_under_windows under(op_.window(rhs().shape).axis(lhs().shape.select({dimension}), 0), row,
                                          row + rows);
      part.padding = {{under.low, op_.padding(0, 1)}};
      for (int d = 1; d < numbers.input_spatial_dimensions.size; ++d)
        part.padding.push({op_.padding(d, 0), op_.padding(d, 1)});
      types[0].shape.set(dimension, under.count);
      sum_type.shape.set(numbers.output_spatial_dimensions[0], rows);
      from += under.begin * strides[dimension];
    }
    widen_tensor(types[0].shape, strides, from, lhs_copy_, helpers_);
    const void* const operands[] = {lhs_copy_, rhs_copy_};
    void* const results[] = {copies_.result > 0 ? result_copy_ : e_.result<L>() + begin};
    evaluation wide = e_;
    wide.operands = {operands, 2}, wide.operand_types = {types, 2}, wide.operand_strides = {};
    wide.results = {results, 1}, wide.result_types = {&sum_type, 1};
    if (!tiled_convolution<L>(part, wide).run()) return false;
    if (copies_.result > 0)
      helpers_.for_each_range(sum_type.size(), tuning::least_shared_elements, [&](index_t some, index_t end) {
        narrow_run(result_copy_ + some, end - some, e_.result<T>() + begin + some);
      });
    return true;
  }

  const ops::convolution& op_;
  const evaluation& e_;
  ops::widened_images copies_;
  workers helpers_ = e_.helpers != nullptr ? *e_.helpers : workers();
  L* lhs_copy_ =
      static_cast<L*>(e_.scratch) + op_.packing_bytes(lhs(), rhs(), result(), dtype_of<L>) / index_t(sizeof(L));
  L* rhs_copy_ = lhs_copy_ + copies_.lhs;
  L* result_copy_ = rhs_copy_ + copies_.rhs;
};

template <class T>
void multiply_windows(index_t rows, index_t columns, const integer_factors<T>& f, std::int32_t* to, index_t to_row,
                      bool accumulate, void* scratch) {
  widening_product<std::uint32_t, T, needs::all()>(rows, columns, f.depth, {f.rows, f.row, f.row_step},
                                                   {f.columns, f.column_step, f.column},
                                                   reinterpret_cast<std::uint32_t*>(to), to_row, accumulate, scratch);
}
// A convolution of bytes as products of copied windows. False, and nothing is done, for other layouts.
template <class T>
bool convolve_windows(const convolution_layout& all, const evaluation& e) {
  constexpr index_t windows = 128;
  const index_t more = ops::product_dimensions::scratch_bytes(2, all.outputs_, all.depth_, dtype_of<T>, dtype::i32);
  return all.groups_ == 1 && all.lhs_feature_ == 1 && windows * all.depth_ + more <= all.scratch_bytes_ &&
         ops::product_dimensions::fills_lanes(e.result_types.data[0].element) &&
         all.rows_of(all.result_spatial_, all.result_batch_, false) != all.nothing &&
         integer_convolution<T, convolution_layout, windows, &multiply_windows<T>>(all, e).run();
}

}  // namespace tiling

// A convolution in the lanes of its products, with sums rounded once. False, and nothing is done, if it has none.
template <class T, needs Needs>
bool convolve(const ops::convolution& op, const evaluation& e) {
  constexpr dtype lane = ops::product_dimensions::lane_type(dtype_of<T>, dtype_of<T>);
  if (ops::product_dimensions::lane_type(dtype_of<T>, e.result_types.data[0].element) != lane) return false;
  using L = element_t<lane>;
  if constexpr (std::is_same_v<tiling::factor_t<T, L>, L>)
    return tiled_convolution<L, Needs>(op, e).run();
  else if constexpr (widens_convolutions) {
    if constexpr (paired_integer<T> && tiling::products_in_lane<T> > 1)
      if (tiling::convolve_windows<T>(convolution_layout(op, e), e)) return true;
    return tiling::widened_convolution<L, T>(op, e).run();
  } else if constexpr (paired_integer<T>)
    return ops::product_dimensions::works_in_place(dtype_of<T>, e.result_types.data[0].element, multiplies_in_place) &&
           integer_convolution<T, convolution_layout>(convolution_layout(op, e), e).run();
  else
    return false;
}

}  // namespace tenon::kernels::inline HWY_NAMESPACE
