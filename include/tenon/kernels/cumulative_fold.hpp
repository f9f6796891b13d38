// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/function_reference.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/ops/window.hpp>

#include <cstring>

namespace tenon::kernels {

// Windows that all begin in front of the operand, or all end behind it, along one dimension and in no other.
class cumulative_windows {
 public:
  cumulative_windows(const ops::window_attributes& window, const ints& shape) {
    int dimension = -1, windows = 0;
    for (int d = 0; d < shape.size; ++d)
      if (!window.axis(shape, d).is_plain()) dimension = d, ++windows;
    if (windows != 1) return;
    axis_ = window.axis(shape, dimension);
    for (int d = 0; d < dimension; ++d) outer_ *= shape.at[d];
    for (int d = dimension + 1; d < shape.size; ++d) inner_ *= shape.at[d];
    is_supported_ = axis_.window >= least_window && axis_.window <= most_window && axis_.stride == 1 &&
                    axis_.base_dilation == 1 && axis_.window_dilation == 1 && is_padding(axis_.low) &&
                    is_padding(axis_.high) && (axis_.low >= axis_.count() - 1 || axis_.high >= axis_.count() - 1);
  }

  bool is_supported() const { return is_supported_; }
  // Whether what a line begins with is all the padding that its windows see.
  bool begins_with_padding() const { return (is_from_behind() ? axis_.low : axis_.high) == 0; }
  const ops::window_axis& axis() const { return axis_; }

  static constexpr index_t side_by_side = 16;

  // Lines side by side: where the first begins in the operand and among the results, how far others are apart, and how
  // far it is to the next element of a line.
  struct line_group {
    index_t from, apart, to, results_apart, step, lines;
  };
  void for_each_line_group(const workers& helpers, function_reference<void(const line_group&)> f) const {
    const index_t elements = axis_.size, results = axis_.count();
    // Where the first of each line lies, and the next one.
    const index_t first = is_from_behind() && elements > 0 ? (elements - 1) * inner_ : 0,
                  step = is_from_behind() ? -inner_ : inner_;
    const index_t first_result = is_from_behind() ? (results - 1) * inner_ : 0;
    // Neighbours behind the dimension, or, if there are none, in front of it.
    const bool has_inner = inner_ != 1;
    const index_t lines = has_inner ? inner_ : outer_, blocks = has_inner ? outer_ : 1;
    const index_t apart = has_inner ? 1 : elements, results_apart = has_inner ? 1 : results;
    const index_t groups_of_block = (lines + side_by_side - 1) / side_by_side;
    const auto run = [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        const index_t block = i / groups_of_block, line = i % groups_of_block * side_by_side;
        f({block * elements * inner_ + first + line * apart, apart,
           block * results * inner_ + first_result + line * results_apart, results_apart, step,
           lines - line < side_by_side ? lines - line : side_by_side});
      }
    };
    if (helpers.count() > 1 && elements * lines * blocks >= tuning::least_shared_elements)
      helpers.for_each_range(blocks * groups_of_block, 1, run);
    else
      run(0, blocks * groups_of_block);
  }

 protected:
  static constexpr index_t least_window = 8, most_window = index_t(1) << 40;

  ops::window_axis axis_;
  index_t outer_ = 1, inner_ = 1;  // indices in front of the dimension and behind it
  bool is_supported_ = false;

 private:
  bool is_from_behind() const { return axis_.low < axis_.count() - 1; }
  static bool is_padding(index_t elements) { return 0 <= elements && elements <= most_window; }
};

// Combines what is under such windows: each result is its neighbour's and what comes with the next element, so that the
// length of windows does not count. Windows are combined in ascending order of their places if they begin together, and
// from behind if they end together.
template <class Body, class T, class S = T>
class cumulative_fold : cumulative_windows {
 public:
  cumulative_fold(const ops::window_attributes& window, const ints& shape, const S* from, const T& initial)
      : cumulative_windows(window, shape), from_(from), initial_(initial) {
    const T twice = combine_elements<Body, T>(initial, initial);
    is_supported_ =
        is_supported_ && std::memcmp(&twice, &initial, sizeof(T)) == 0;  // as often as it stands for padding
  }

  using cumulative_windows::is_supported;

  void run(T* to, const workers& helpers = {}) const {
    for_each_line_group(helpers, [&](const line_group& group) {
      const auto& [from, apart, target, results_apart, step, lines] = group;
      // Written out for compilers to find vectors.
      if constexpr (body_lanes<Body, T, S>::is_supported)
        if (lines == side_by_side && apart == 1) return run_lines(from_ + from, 1, to + target, 1, step, side_by_side);
      run_lines(from_ + from, apart, to + target, results_apart, step, lines);
    });
  }

 private:
  static T combine(const T& total, const S& element) { return combine_elements<Body, T>(total, element); }

  HWY_INLINE void run_lines(const S* from, index_t apart, T* to, index_t results_apart, index_t step,
                            index_t lines) const {
    T totals[side_by_side];
    for (index_t k = 0; k < lines; ++k) totals[k] = initial_;
    // Elements that the first window reaches; each further one reaches one more.
    const index_t padding = step < 0 ? axis_.high : axis_.low;
    index_t end = axis_.window - padding, taken = 0;
    for (index_t i = 0; i < axis_.count(); ++i, ++end, to += step) {
      for (; taken < end && taken < axis_.size; ++taken, from += step)
        for (index_t k = 0; k < lines; ++k) totals[k] = combine(totals[k], from[k * apart]);
      for (index_t k = 0; k < lines; ++k) to[k * results_apart] = totals[k];
    }
  }

  const S* from_;
  T initial_;
};

}  // namespace tenon::kernels
