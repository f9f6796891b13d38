// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/window.hpp>

namespace tenon::kernels {

// Windows as rows of results: neighbours along the last dimension, which trailing plain dimensions are joined with.
class window_rows {
 public:
  [[gnu::noinline, gnu::cold]] constexpr window_rows(const ops::window_attributes& window, const ints& shape,
                                                     const ints& result_shape) {
    int rank = shape.size;
    strides_ = strides_of(shape);
    for (int i = 0; i < rank; ++i) axes_[i] = window.axis(shape, i);
    while (rank > 1 && axes_[rank - 1].is_plain() && axes_[rank - 2].is_plain()) {
      axes_[rank - 2].size *= axes_[rank - 1].size;
      strides_.at[rank - 2] = strides_.at[rank - 1];
      --rank;
    }
    while (rank > 1 && axes_[rank - 1].is_plain() && axes_[rank - 1].size == 1) --rank;
    outer_ = rank > 0 ? rank - 1 : 0;
    if (rank == 0) axes_[0] = ops::window_axis{.size = 1};
    if (rank == 0) strides_.push(1);
    row_ = axes_[outer_].count();
    for (int i = 0; i < outer_; ++i) {
      outer_results_.push(result_shape.at[i]);
      outer_window_.push(axes_[i].window);
    }
  }

  // Results in a row, rows, and rows under each window.
  index_t row() const { return row_; }
  const ints& rows() const { return outer_results_; }
  const ints& rows_of_window() const { return outer_window_; }
  // Places in a window.
  constexpr index_t places() const { return (outer_window_ + ints{axes_[outer_].window}).product(); }
  // The dimension along the rows.
  const ops::window_axis& last() const { return axes_[outer_]; }
  index_t step() const { return strides_.at[outer_]; }

  // Whether there is neither padding nor holes: then each place lies equally far from the first one in all windows.
  bool lies_within() const {
    for (int i = 0; i <= outer_; ++i)
      if (axes_[i].low != 0 || axes_[i].high != 0 || axes_[i].base_dilation != 1) return false;
    return true;
  }

  // Whether there is neither padding nor holes, and the elements under a place of neighbouring rows are one piece of
  // the operand, with at most that number of others in between for each window.
  bool is_flat(index_t most_between) const {
    if (!lies_within() || step() != 1 || row_ == 0 || axes_[outer_].stride > 1 + most_between) return false;
    return outer_ == 0 || (0 < distance() && distance() <= (1 + most_between) * row_);
  }
  // How far those places are apart under windows that follow each other along the last dimension but one.
  index_t distance() const {
    return outer_ == 0 ? wrap::multiply(row_, axes_[0].stride)
                       : wrap::multiply(strides_.at[outer_ - 1], axes_[outer_ - 1].stride);
  }

  // Where the row of the operand begins that lies under this place of the outer dimensions; -1 over padding and holes.
  index_t row_under(const ints& index, const ints& place) const {
    index_t row = 0;
    for (int i = 0; i < outer_; ++i) {
      const index_t at = axes_[i].position(index.at[i], place.at[i]);
      if (at < 0) return -1;
      row += at * strides_.at[i];
    }
    return row;
  }

  // Copies the elements at offset k of windows first, first + 1, ... of a row; `initial` over padding and holes.
  template <class T>
  void copy_under(const T* row, index_t k, index_t first, index_t count, const T& initial, T* to) const {
    const index_t last = first + count;
    if (axes_[outer_].base_dilation != 1) {
      for (index_t j = first; j < last; ++j) {
        const index_t at = axes_[outer_].position(j, k);
        to[j - first] = at < 0 ? initial : row[at * step()];
      }
      return;
    }
    const range inside = part_inside(k, first, last);
    copy_run(to, &initial, 0, inside.begin - first);
    if (inside.begin < inside.end)
      copy_run(to + (inside.begin - first), row + position(k, inside.begin), axes_[outer_].stride * step(),
               inside.end - inside.begin);
    copy_run(to + (inside.end - first), &initial, 0, last - inside.end);
  }

  struct range {
    index_t begin, end;
  };
  // Without holes: the windows first <= j < last whose place k lies within the operand, and where that is in the row.
  range part_inside(index_t k, index_t first, index_t last) const {
    const index_t begin = axes_[outer_].first_not_below(0, k, first, last);
    return {begin, axes_[outer_].first_not_below(axes_[outer_].size, k, begin, last)};
  }
  index_t position(index_t k, index_t j) const {
    const ops::window_axis& axis = axes_[outer_];
    return wrap::subtract(j * axis.stride + k * axis.window_dilation, axis.low) * step();
  }

 protected:
  ops::window_axis axes_[max_rank];
  ints strides_;
  int outer_ = 0;  // dimensions in front of the last one
  index_t row_ = 0;
  ints outer_results_, outer_window_;
};

}  // namespace tenon::kernels
