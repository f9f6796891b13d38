// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/strided.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/ops/window.hpp>

namespace tenon {

// Combines what is under every window by one op, from the initial value on and in ascending row-major order of the
// place in the window; over padding and holes that is the initial value again. Results that are neighbours along the
// last dimension are worked on together.
template <class Body, class T>
class window_fold {
 public:
  window_fold(const window_attributes& window, const ints& shape, const ints& result_shape, const T* from,
              const T& initial)
      : from_(from), initial_(initial) {
    // Dimensions in which windows are single elements side by side belong to the last one.
    int rank = shape.size;
    strides_ = strides_of(shape);
    for (int i = 0; i < rank; ++i) axes_[i] = window.axis(shape, i);
    while (rank > 1 && is_plain(axes_[rank - 1]) && is_plain(axes_[rank - 2])) {
      axes_[rank - 2].size *= axes_[rank - 1].size;
      strides_.at[rank - 2] = strides_.at[rank - 1];
      --rank;
    }
    while (rank > 1 && is_plain(axes_[rank - 1]) && axes_[rank - 1].size == 1) --rank;
    outer_ = rank > 0 ? rank - 1 : 0;
    if (rank == 0) axes_[0] = window_axis{.size = 1};
    if (rank == 0) strides_.push(1);
    row_ = axes_[outer_].count();
    for (int i = 0; i < outer_; ++i) {
      outer_results_.push(result_shape.at[i]);
      outer_window_.push(axes_[i].window);
    }
  }

  void run(T* to) const {
    if (row_ == 0 || outer_results_.product() == 0) return;
    const window_axis& last = axes_[outer_];
    // Windows from `begin` to `end` lie within the operand.
    index_t begin = row_, end = row_;
    if (last.base_dilation == 1) {
      begin = last.first_not_below(0, 0, 0, row_);
      end = last.first_not_below(last.size, last.window - 1, begin, row_);
    }
    ints index = ints::filled(outer_, 0);
    do {
      const T* rows[most_rows];
      index_t count = 0;
      ints place = ints::filled(outer_, 0);
      bool is_first = true, more = true;
      while (more) {
        count = 0;
        while (more && count < most_rows) {
          rows[count++] = row_under(index, place);
          more = advance(outer_window_, place);
        }
        if (is_first) fill(to, row_);
        is_first = false;
        combine_at_edge(rows, count, to, 0, begin);
        combine_inside(rows, count, to, begin, end);
        combine_at_edge(rows, count, to, end, row_);
      }
      to += row_;
    } while (advance(outer_results_, index));
  }

 private:
  using lanes = detail::body_lanes<Body, T>;
  static constexpr index_t most_rows = 64;

  static bool is_plain(const window_axis& axis) {
    return axis.window == 1 && axis.stride == 1 && axis.base_dilation == 1 && axis.low == 0 && axis.high == 0;
  }
  static T combine(const T& total, const T& element) { return detail::combine_elements<Body, T>(total, element); }
  void fill(T* to, index_t count) const {
    for (index_t j = 0; j < count; ++j) to[j] = initial_;
  }

  // The row of the operand under this place of the outer dimensions; null over padding and holes.
  const T* row_under(const ints& index, const ints& place) const {
    const T* row = from_;
    for (int i = 0; i < outer_; ++i) {
      const index_t at = axes_[i].position(index.at[i], place.at[i]);
      if (at < 0) return nullptr;
      row += at * strides_.at[i];
    }
    return row;
  }

  void combine_inside(const T* const* rows, index_t count, T* to, index_t begin, index_t end) const {
    const window_axis& last = axes_[outer_];
    const index_t step = strides_.at[outer_];
    index_t j = begin;
    if constexpr (lanes::serve) {
      const index_t width = lanes::count();
      const auto initial = [&] {
        T all[hn::MaxLanes(typename lanes::D())];
        for (index_t i = 0; i < width; ++i) all[i] = initial_;
        return lanes::load(all);
      }();
      const auto element = [&](const T* at) HWY_ATTR {
        if (last.stride == 1) return lanes::load(at);
        T taken[hn::MaxLanes(typename lanes::D())]{};
        for (index_t i = 0; i < width; ++i) taken[i] = at[i * last.stride];
        return lanes::load(taken);
      };
      const auto first = [&](const T* row, index_t at) { return row + wrap::subtract(at * last.stride, last.low); };
      if (step == 1) {
        for (; j + 2 * width <= end; j += 2 * width) {
          auto a = lanes::load(to + j), b = lanes::load(to + j + width);
          for (index_t r = 0; r < count; ++r)
            for (index_t k = 0; k < last.window; ++k) {
              const T* const at = rows[r] == nullptr ? nullptr : first(rows[r], j) + k * last.window_dilation;
              a = lanes::combine(a, at == nullptr ? initial : element(at));
              b = lanes::combine(b, at == nullptr ? initial : element(at + width * last.stride));
            }
          lanes::store(a, to + j);
          lanes::store(b, to + j + width);
        }
        for (; j + width <= end; j += width) {
          auto a = lanes::load(to + j);
          for (index_t r = 0; r < count; ++r)
            for (index_t k = 0; k < last.window; ++k)
              a = lanes::combine(a,
                                 rows[r] == nullptr ? initial : element(first(rows[r], j) + k * last.window_dilation));
          lanes::store(a, to + j);
        }
      }
    }
    combine_at_edge(rows, count, to, j, end);
  }

  // Place by place, each for all results that have it within the operand.
  void combine_at_edge(const T* const* rows, index_t count, T* to, index_t begin, index_t end) const {
    if (begin >= end) return;
    const window_axis& last = axes_[outer_];
    const index_t step = strides_.at[outer_];
    const auto with_initial = [&](index_t from, index_t behind) {
      for (index_t j = from; j < behind; ++j) to[j] = combine(to[j], initial_);
    };
    for (index_t r = 0; r < count; ++r)
      for (index_t k = 0; k < last.window; ++k) {
        if (rows[r] == nullptr) {
          with_initial(begin, end);
        } else if (last.base_dilation != 1) {
          for (index_t j = begin; j < end; ++j) {
            const index_t at = last.position(j, k);
            to[j] = combine(to[j], at < 0 ? initial_ : rows[r][at * step]);
          }
        } else {
          const index_t inside = last.first_not_below(0, k, begin, end);
          const index_t behind = last.first_not_below(last.size, k, inside, end);
          with_initial(begin, inside);
          const T* const at =
              rows[r] + wrap::subtract(inside * last.stride + k * last.window_dilation, last.low) * step;
          combine_row(at, last.stride * step, to + inside, behind - inside);
          with_initial(behind, end);
        }
      }
  }
  static void combine_row(const T* from, index_t stride, T* to, index_t count) {
    index_t j = 0;
    if constexpr (lanes::serve)
      if (stride == 1)
        for (const index_t width = lanes::count(); j + width <= count; j += width)
          lanes::store(lanes::combine(lanes::load(to + j), lanes::load(from + j)), to + j);
    for (; j < count; ++j) to[j] = combine(to[j], from[j * stride]);
  }

  const T* from_;
  T initial_;
  window_axis axes_[max_rank];
  ints strides_;
  int outer_ = 0;  // dimensions in front of the last one
  index_t row_ = 0;
  ints outer_results_, outer_window_;
};

namespace detail {

// An op that folds what is under windows over its one input says which: `window`.
template <class Op>
concept folds_windows = requires(const Op& self) {
  { self.window() } -> std::convertible_to<window_attributes>;
  requires Op::folds_windows;
};

}  // namespace detail

// Runs an op that folds windows by one op, on one input.
template <class Op, class Body, class T>
void window_fold_kernel(const evaluation& e) {
  window_fold<Body, T>(read_attributes<Op>(e.words).window(), e.operand_types.data[0].shape,
                       e.result_types.data[0].shape, e.operand<T>(0), *e.operand<T>(1))
      .run(e.result<T>());
}

}  // namespace tenon
