// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/function_reference.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/copied_planes.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/kernels/window_rows.hpp>
#include <tenon/ops/window.hpp>

#include <cstring>

namespace tenon::kernels {

// Windows that all begin in front of the operand, or all end behind it, along one dimension and in no other.
class cumulative_windows {
 public:
  constexpr cumulative_windows(const ops::window_attributes& window, const ints& shape) {
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

  constexpr bool is_supported() const { return is_supported_; }
  // Whether what a line begins with is all the padding that its windows see.
  bool begins_with_padding() const { return (is_from_behind() ? axis_.low : axis_.high) == 0; }
  const ops::window_axis& axis() const { return axis_; }

  static constexpr index_t side_by_side = 16;

  // Lines side by side: where the first begins, in the operand and in the result, and the distances of others.
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
  static constexpr bool is_padding(index_t elements) { return 0 <= elements && elements <= most_window; }
};

// Combines what is under such windows: each result is its neighbour's and the next element, in ascending order of
// places if windows begin together, and from behind if they end together.
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

enum class window_branch { windows_inside, windows_at_edges, cumulative };

// Blocks of windows that are combined by one op: lines that are read in place, or windows whose elements are copied.
class window_blocks : protected window_rows {
 public:
  // `most`: elements of a copy.
  constexpr window_blocks(const ops::window_attributes& window, const ints& shape, const ints& result_shape,
                          index_t most)
      : window_rows(window, shape, result_shape) {
    while (first_ < outer_ && axes_[first_].is_plain()) planes_ *= axes_[first_++].size;
    for (int d = first_; d <= outer_; ++d) {
      results_.push(axes_[d].count()), windows_.push(axes_[d].window), block_.push(axes_[d].count());
      inside_[d - first_] = windows_inside(axes_[d]);
    }
    const int inner = block_.size - 1;
    in_lines_ = axes_[outer_].stride == 1 && inside_[inner].begin == 0 && inside_[inner].end == row_ &&
                (row_ >= least_row || row_ == 1 || windows_.at[inner] == 1);
    for (int d = 0; d < inner && in_lines_; ++d) block_.at[d] = 1;
    for (int d = 0; d <= inner && !in_lines_; ++d)
      while (block_.at[d] > 1 && block().entries() > most) block_.at[d] = (block_.at[d] + 1) / 2;
    fits_ = in_lines_ || block().entries() <= most;
    for (int d = 0; d <= inner; ++d) blocks_.push(block_.at[d] == 0 ? 0 : (results_.at[d] - 1) / block_.at[d] + 1);
  }

  constexpr needs needs_of() const {
    return {1u << int(in_lines_ ? window_branch::windows_inside : window_branch::windows_at_edges)};
  }

 protected:
  // Shorter rows are copied, to be combined together.
  static constexpr index_t least_row = 8, most_listed = 64, nothing = INT64_MIN;

  struct index_range {
    index_t begin, end;
  };
  // The windows that lie within the operand; none where it has holes.
  static constexpr index_range windows_inside(const ops::window_axis& axis) {
    const index_t count = axis.count();
    if (axis.base_dilation != 1) return {count, count};
    const index_t begin = axis.first_not_below(0, 0, 0, count);
    return {begin, axis.first_not_below(axis.size, axis.window - 1, begin, count)};
  }
  // The block of the operand that the first windows read.
  constexpr copied_planes block() const {
    copied_planes all;
    for (int d = first_; d <= outer_; ++d) {
      const ops::window_axis& axis = axes_[d];
      copied_axis next{wrap::subtract(index_t(0), axis.low),
                       axis.stride,
                       axis.window,
                       axis.window_dilation,
                       block_.at[d - first_],
                       axis.size,
                       strides_.at[d],
                       axis.base_dilation};
      next.lay_out(false);
      all.add(next);
    }
    all.lay_out();
    return all;
  }
  // Where an element lies that a window of a plane meets at a place.
  index_t offset_of(const ints& index, const ints& place) const {
    index_t offset = 0;
    for (int d = 0; d < index.size; ++d) {
      const index_t at = axes_[first_ + d].position(index.at[d], place.at[d]);
      if (at < 0) return nothing;
      offset += at * strides_.at[first_ + d];
    }
    return offset;
  }

  int first_ = 0;  // dimension that is not plain
  index_t planes_ = 1;
  ints results_, windows_, block_, blocks_;
  index_range inside_[max_rank];
  bool in_lines_ = false, fits_ = true;
};

// Combines what is under every window by one op, from the initial value on and in ascending row-major order of the
// place in the window; over padding and holes that is the initial value again. Neighbours are worked on together.
template <class Body, class T, class S = T, needs Needs = needs::all()>
class window_fold : window_blocks {
 public:
  static constexpr index_t most_copied = (sizeof(void*) == 8 ? 8192 : 1024) / index_t(sizeof(T));

  window_fold(const ops::window_attributes& window, const ints& shape, const ints& result_shape, const S* from,
              const T& initial)
      : window_blocks(window, shape, result_shape, most_copied), from_(from), initial_(initial) {}

  void run(T* to, const workers& helpers = {}) const {
    const index_t all = planes_ * blocks_.product();
    if (helpers.count() > 1 && planes_ * results_.product() * places() >= tuning::least_shared_elements)
      helpers.for_each_range(all, 1, [&](index_t begin, index_t end) { run_blocks(begin, end, to); });
    else if (all > 0)
      run_blocks(0, all, to);
  }

 private:
  using lanes = body_lanes<Body, T, S>;

  void run_blocks(index_t begin, index_t end, T* to) const {
    const ints corner = ints::filled(blocks_.size, 0), result_steps = strides_of(results_);
    const index_t plane_size = first_ == 0 ? 0 : strides_.at[first_ - 1];
    copied_planes planes = block();
    index_t offsets[most_listed];
    const index_t all_places = places();
    const bool few = all_places <= most_listed;
    ints place = corner;
    for (index_t i = 0; i < all_places && few; ++i, advance(windows_, place)) {
      offsets[i] = in_lines_ ? 0 : planes.offset_of(place, 0);
      for (int d = 0; d < place.size && in_lines_; ++d)
        offsets[i] += place.at[d] * axes_[first_ + d].window_dilation * strides_.at[first_ + d];
    }
    ints index = corner, first = corner;
    index_t plane = begin / blocks_.product();
    for (index_t d = index.size - 1, rest = begin; d >= 0; rest /= blocks_.at[d--]) index.at[d] = rest % blocks_.at[d];
    for (index_t i = begin; i < end; ++i) {
      const S* const from = from_ + plane * plane_size;
      T* target = to + plane * results_.product();
      index_t offset = 0;
      bool is_inside = few;
      for (int d = 0; d < index.size; ++d) {
        first.at[d] = index.at[d] * block_.at[d];
        target += first.at[d] * result_steps.at[d];
        const ops::window_axis& axis = axes_[first_ + d];
        planes.axes[d].start = wrap::subtract(first.at[d] * axis.stride, axis.low);
        planes.counts.at[d] = std::min(block_.at[d], results_.at[d] - first.at[d]);
        is_inside = is_inside && inside_[d].begin <= first.at[d] && first.at[d] < inside_[d].end;
        if (is_inside) offset += planes.axes[d].start * strides_.at[first_ + d];
      }
      if (in_lines_)
        begin_branch<Needs, window_branch::windows_inside>();
      else
        begin_branch<Needs, window_branch::windows_at_edges>();
      if (in_lines_ && is_inside) {
        // Neighbours along the next dimension too.
        const int next = index.size - 2;
        const index_t some = next < 0 ? 1 : std::min(inside_[next].end - index.at[next], end - i);
        const index_t step = next < 0 ? 0 : axes_[outer_ - 1].stride * strides_.at[outer_ - 1];
        for (index_t k = 0; k < some; ++k)
          combine<false>(from + offset + k * step, offsets, all_places, target + k * row_, row_, true);
        if (next >= 0) index.at[next] += some - 1;
        i += some - 1;
      } else if (in_lines_ || !fits_)
        for_each_chunk([&](const ints& under) { return offset_of(first, under); },
                       [&](const index_t* some, index_t count, bool is_first) {
                         combine<true>(from, some, count, target, block_.at[block_.size - 1], is_first);
                       });
      else if constexpr (Needs.has(window_branch::windows_at_edges))
        combine_copied(from, planes, few ? offsets : nullptr, target, result_steps);
      if (!advance(blocks_, index)) ++plane;
    }
  }
  // Calls f(offsets, count, is_first) for the offsets that `of` gives for places, some at a time.
  template <class Offset, class Function>
  void for_each_chunk(Offset of, Function f) const {
    index_t offsets[most_listed];
    ints place = ints::filled(windows_.size, 0);
    for (bool is_first = true, more = true; more; is_first = false) {
      index_t count = 0;
      for (; more && count < most_listed; more = advance(windows_, place)) offsets[count++] = of(place);
      f(static_cast<const index_t*>(offsets), count, is_first);
    }
  }

  // `offsets`: of all places, or null.
  void combine_copied(const S* from, const copied_planes& planes, const index_t* offsets, T* to,
                      const ints& result_steps) const {
    T copies[most_copied], totals[most_copied];
    const copied_axis& last = planes.axes[planes.rank - 1];
    planes.for_each_line([&](index_t line, index_t offset, index_t begin, index_t end, index_t run) {
      T* const copied = copies + line;
      fill_row(copied, initial_, begin);
      fill_row(copied + end, initial_, last.extent - end);
      if constexpr (std::is_same_v<S, T>)
        if (last.holes == 1 && begin < end)
          return copy_run(copied + begin, from + offset + last.offset(run, begin) * last.step, last.stride * last.step,
                          end - begin);
      for (index_t i = begin; i < end; ++i) {
        const index_t at = last.offset(run, i);
        copied[i] = at < 0 ? initial_ : convert_to<T>(from[offset + at * last.step]);
      }
    });
    const index_t length = planes.length();
    const bool is_dense = planes.steps == result_steps;
    T* const sums = is_dense ? to : totals;
    if (offsets != nullptr)
      combine<false>(copies, offsets, places(), sums, length, true);
    else
      for_each_chunk([&](const ints& place) { return planes.offset_of(place, 0); },
                     [&](const index_t* some, index_t count, bool is_first) {
                       combine<false>(copies, some, count, sums, length, is_first);
                     });
    if (is_dense) return;
    ints index = ints::filled(planes.rank, 0);
    planes.for_each_row(index, length, [&](index_t entry, const ints& row, index_t count) {
      index_t offset = 0;
      for (int d = 0; d < planes.rank; ++d) offset += row.at[d] * result_steps.at[d];
      copy_run(to + offset, totals + entry, 1, count);
    });
  }

  // to[j] = body(...body(to[j], from[offsets[0] + j])..., from[offsets[count - 1] + j]), from the initial value if
  // first.
  template <bool HasHoles, class E>
  [[gnu::noinline]] void combine(const E* from, const index_t* offsets, index_t count, T* to, index_t length,
                                 bool is_first) const {
    index_t j = 0;
    if constexpr (lanes::is_supported) {
      const index_t width = lanes::count();
      const auto initial = lanes::repeated(initial_);
      for (; j + 4 * width <= length; j += 4 * width) {
        T* const at = to + j;
        const auto begin = [&](int i) HWY_ATTR { return is_first ? initial : lanes::load(at + i * width); };
        auto a = begin(0), b = begin(1), c = begin(2), d = begin(3);
        for (index_t p = 0; p < count; ++p) {
          const bool is_hole = HasHoles && offsets[p] == nothing;
          const E* const under = is_hole ? from : from + offsets[p] + j;
          const auto next = [&](int i) HWY_ATTR { return is_hole ? initial : lanes::load(under + i * width); };
          a = lanes::combine(a, next(0)), b = lanes::combine(b, next(1));
          c = lanes::combine(c, next(2)), d = lanes::combine(d, next(3));
        }
        lanes::store(a, at), lanes::store(b, at + width);
        lanes::store(c, at + 2 * width), lanes::store(d, at + 3 * width);
      }
      for (; j < length && length > 1; j += width) {
        const index_t some = length - j < width ? length - j : width;
        auto a = is_first ? initial : lanes::load(to + j, some);
        for (index_t p = 0; p < count; ++p)
          a = lanes::combine(a, HasHoles && offsets[p] == nothing ? initial : lanes::load(from + offsets[p] + j, some));
        lanes::store(a, to + j, some);
      }
    }
    for (; j < length; ++j) {
      T total = is_first ? initial_ : to[j];
      for (index_t p = 0; p < count; ++p)
        total = HasHoles && offsets[p] == nothing ? combine_elements<Body, T>(total, initial_)
                                                  : combine_elements<Body, T>(total, from[offsets[p] + j]);
      to[j] = total;
    }
  }

  const S* from_;
  T initial_;
};

// An op that folds what is under windows over its one input says which: `window`.
template <class Op>
concept folds_windows = requires(const Op& self) {
  { self.window() } -> std::convertible_to<ops::window_attributes>;
  requires Op::folds_windows;
};

template <class Op, class Body, class T, class S = T, needs Needs = needs::all()>
void window_fold_kernel(const evaluation& e) {
  const ops::window_attributes window = read_attributes<Op>(e.words).window();
  const ints& shape = e.operand_types.data[0].shape;
  const T& initial = *e.operand<T>(1);
  const workers helpers = e.helpers != nullptr ? *e.helpers : workers{};
  if constexpr (Needs.has(window_branch::cumulative))
    if (const cumulative_fold<Body, T, S> fold(window, shape, e.operand<S>(0), initial); fold.is_supported())
      return fold.run(e.result<T>(), helpers);
  window_fold<Body, T, S, Needs>(window, shape, e.result_types.data[0].shape, e.operand<S>(0), initial)
      .run(e.result<T>(), helpers);
}
template <class Op, class Body, class T, class S>
constexpr needs needs_of_windows(const evaluation& e) {
  const ops::window_attributes window = read_attributes<Op>(e.words).window();
  const ints& shape = e.operand_types.data[0].shape;
  needs all =
      window_blocks(window, shape, e.result_types.data[0].shape, window_fold<Body, T, S>::most_copied).needs_of();
  if (cumulative_windows(window, shape).is_supported()) all.add(window_branch::cumulative);
  return all;
}

}  // namespace tenon::kernels
