// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/function_reference.hpp>
#include <tenon/core/strided.hpp>
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
  static constexpr bool is_padding(index_t elements) { return 0 <= elements && elements <= most_window; }
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

enum class window_branch { windows_inside, windows_at_edges, cumulative };

// The rows of results of windows that are combined by one op, whatever it is and the elements are.
class window_walk : protected window_rows {
 public:
  using window_rows::window_rows;

  // Which functions for_each_row calls.
  constexpr needs needs_of(bool lanes_apply) const {
    const ops::window_axis& last = axes_[outer_];
    const auto is_inside = [](const ops::window_axis& axis) {
      const index_range inside = windows_inside(axis);
      return inside.begin == 0 && inside.end == axis.count();
    };
    bool all_inside = outer_window_.product() <= most_rows && places() <= most_rows && places() > 0;
    for (int i = 0; i < outer_; ++i) all_inside = all_inside && is_inside(axes_[i]);
    const bool has_inner = lanes_apply && last.stride == 1 && row_ > 0 && is_inside(last);
    needs all;
    if (has_inner) all.add(window_branch::windows_inside);
    if (!has_inner || !all_inside) all.add(window_branch::windows_at_edges);
    return all;
  }

 protected:
  static constexpr index_t most_rows = 64;

  struct index_range {
    index_t begin, end;
  };
  // Neighbouring rows of results whose windows lie within the operand: what lies under a place of the first one begins
  // at from + places[p], of the next one `step` further on.
  struct inner_rows {
    index_t to, from, step, rows;
    const index_t* places;
    index_t count;
    bool evenly;  // places are as far apart as those of a row of the window
  };
  // A row of results, and some of the rows under it: where they begin, below zero over padding and holes. Windows in
  // `inside` lie within the operand.
  struct outer_row {
    index_t to;
    const index_t* rows;
    index_t count;
    index_range inside;
    bool is_first;
  };

  index_t row_count() const { return row_ == 0 ? 0 : outer_results_.product(); }

  // Calls one of both for the rows of results of this range, on_inner only if there are lanes.
  void for_each_row(index_range taken, bool lanes_apply, function_reference<void(const inner_rows&)> on_inner,
                    function_reference<void(const outer_row&)> on_outer) const {
    if (taken.begin == taken.end) return;
    const ops::window_axis& last = axes_[outer_];
    // Windows from `begin` to `end` lie within the operand.
    const index_range inside = windows_inside(last);
    index_range outer_inside[max_rank];
    for (int i = 0; i < outer_; ++i) outer_inside[i] = windows_inside(axes_[i]);
    // Where the rows under a window begin, from the first one on, and what lies under its places, if there are few.
    index_t offsets[most_rows], place_offsets[most_rows];
    const bool few = outer_window_.product() <= most_rows;
    const index_t rows_of_window = few ? list_offsets(offsets) : 0, places = rows_of_window * last.window;
    const bool in_lanes =
        lanes_apply && last.stride == 1 && inside.begin < inside.end && 0 < places && places <= most_rows;
    for (index_t p = 0; in_lanes && p < places; ++p)
      place_offsets[p] = offsets[p / last.window] + p % last.window * last.window_dilation - last.low;
    ints index = ints::filled(outer_, 0);
    index_t to = taken.begin * row_;
    for (index_t i = outer_ - 1, rest = taken.begin; i >= 0; rest /= outer_results_.at[i--])
      index.at[i] = rest % outer_results_.at[i];
    for (index_t row = taken.begin; row < taken.end; ++row, advance(outer_results_, index)) {
      index_t rows[most_rows];
      bool is_inside = few;
      index_t first = 0;
      for (int i = 0; i < outer_; ++i) {
        is_inside = is_inside && outer_inside[i].begin <= index.at[i] && index.at[i] < outer_inside[i].end;
        if (is_inside) first += (index.at[i] * axes_[i].stride - axes_[i].low) * strides_.at[i];
      }
      if (is_inside && in_lanes && inside.begin == 0 && inside.end == row_) {
        // Neighbours along the next dimension too.
        const int next = outer_ - 1;
        const index_t neighbours = next < 0 ? 1 : outer_inside[next].end - index.at[next];
        const index_t some = neighbours < taken.end - row ? neighbours : taken.end - row;
        const index_t step = next < 0 ? 0 : axes_[next].stride * strides_.at[next];
        on_inner({to, first, step, some, place_offsets, places, rows_of_window == 1});
        to += some * row_;
        row += some - 1;
        if (next >= 0) index.at[next] += some - 1;
        continue;
      } else if (is_inside) {
        for (index_t r = 0; r < rows_of_window; ++r) rows[r] = first + offsets[r];
        on_outer({to, rows, rows_of_window, inside, true});
      } else {
        ints place = ints::filled(outer_, 0);
        bool is_first = true, more = true;
        while (more) {
          index_t count = 0;
          while (more && count < most_rows) {
            rows[count++] = row_under(index, place);
            more = advance(outer_window_, place);
          }
          on_outer({to, rows, count, inside, is_first});
          is_first = false;
        }
      }
      to += row_;
    }
  }

 private:
  // The windows that lie within the operand; none where it has holes.
  static constexpr index_range windows_inside(const ops::window_axis& axis) {
    const index_t count = axis.count();
    if (axis.base_dilation != 1) return {count, count};
    const index_t begin = axis.first_not_below(0, 0, 0, count);
    return {begin, axis.first_not_below(axis.size, axis.window - 1, begin, count)};
  }
  index_t list_offsets(index_t* offsets) const {
    index_t count = 0;
    ints place = ints::filled(outer_, 0);
    do {
      index_t offset = 0;
      for (int i = 0; i < outer_; ++i) offset += wrap::multiply(place.at[i] * axes_[i].window_dilation, strides_.at[i]);
      offsets[count++] = offset;
    } while (advance(outer_window_, place));
    return count;
  }
};

// Combines what is under every window by one op, from the initial value on and in ascending row-major order of the
// place in the window; over padding and holes that is the initial value again. Results that are neighbours along the
// last dimension are worked on together.
template <class Body, class T, class S = T, needs Needs = needs::all()>
class window_fold : window_walk {
 public:
  window_fold(const ops::window_attributes& window, const ints& shape, const ints& result_shape, const S* from,
              const T& initial)
      : window_walk(window, shape, result_shape), from_(from), initial_(initial) {}

  void run(T* to, const workers& helpers = {}) const {
    if (helpers.count() > 1 && row_count() * row_ * places() >= tuning::least_shared_elements)
      helpers.for_each_range(row_count(), 1, [&](index_t begin, index_t end) { run_rows({begin, end}, to); });
    else
      run_rows({0, row_count()}, to);
  }

 private:
  using lanes = body_lanes<Body, T, S>;

  void run_rows(index_range taken, T* to) const {
    for_each_row(
        taken, lanes::is_supported,
        [&]([[maybe_unused]] const inner_rows& all) {
          begin_branch<Needs, window_branch::windows_inside>();
          if constexpr (lanes::is_supported)
            for (index_t i = 0; i < all.rows; ++i) {
              const S* const from = from_ + all.from + i * all.step;
              T* const row = to + all.to + i * row_;
              // What is counted needs not be read.
              if (all.evenly)
                combine_places<false>([from = from + all.places[0], distance = axes_[outer_].window_dilation](
                                          index_t p) { return from + p * distance; },
                                      all.count, row, 0, row_, initial_, true);
              else
                combine_places<false>([from, places = all.places](index_t p) { return from + places[p]; }, all.count,
                                      row, 0, row_, initial_, true);
            }
        },
        [&](const outer_row& row) {
          begin_branch<Needs, window_branch::windows_at_edges>();
          if (row.is_first) {
            fill(to + row.to, row.inside.begin);
            fill(to + row.to + row.inside.end, row_ - row.inside.end);
          }
          combine_at_edge(row, to + row.to, 0, row.inside.begin);
          combine_inside(row, to + row.to);
          combine_at_edge(row, to + row.to, row.inside.end, row_);
        });
  }

  static T combine(const T& total, const S& element) { return combine_elements<Body, T>(total, element); }
  void fill(T* to, index_t count) const {
    for (index_t j = 0; j < count; ++j) to[j] = initial_;
  }

  void combine_inside(const outer_row& row, T* to) const {
    const auto [begin, end] = row.inside;
    bool is_first = row.is_first;
    const ops::window_axis& last = axes_[outer_];
    index_t j = begin;
    if constexpr (lanes::is_supported) {
      if (strides_.at[outer_] == 1 && last.stride == 1 && begin < end) {
        // What lies under one place of the window after the other; null over padding and holes.
        const S* places[most_rows];
        index_t listed = 0;
        for (index_t r = 0; r < row.count; ++r)
          for (index_t k = 0; k < last.window; ++k) {
            places[listed++] = row.rows[r] < 0 ? nullptr : from_ + row.rows[r] + (k * last.window_dilation - last.low);
            if (listed < most_rows && (r < row.count - 1 || k < last.window - 1)) continue;
            combine_places<true>([all = &places[0]](index_t p) { return all[p]; }, listed, to, begin, end, initial_,
                                 is_first);
            listed = 0;
            is_first = false;
          }
        return;
      }
      if (is_first) fill(to + begin, end - begin);
      const index_t width = lanes::count();
      const auto element = [&](const S* at, [[maybe_unused]] bool reads_behind) HWY_ATTR {
#if HWY_TARGET != HWY_SCALAR
        if constexpr (sizeof(hn::TFromD<typename lanes::D>) >= 4)
          if (last.stride == 2 && reads_behind)
            return hn::ConcatEven(typename lanes::D(), lanes::load(at + width), lanes::load(at));
#endif
        S taken[hn::MaxLanes(typename lanes::D())]{};
        for (index_t i = 0; i < width; ++i) taken[i] = at[i * last.stride];
        return lanes::load(taken);
      };
      const auto first = [&](index_t r, index_t at) {
        return from_ + row.rows[r] + wrap::subtract(at * last.stride, last.low);
      };
      if (strides_.at[outer_] == 1) {
        const auto initial = lanes::repeated(initial_);
        for (; j + 2 * width <= end; j += 2 * width) {
          // Behind the last window there may be no element.
          const bool reads_behind = j + 2 * width < end;
          auto a = lanes::load(to + j), b = lanes::load(to + j + width);
          for (index_t r = 0; r < row.count; ++r)
            for (index_t k = 0; k < last.window; ++k) {
              const S* const at = row.rows[r] < 0 ? nullptr : first(r, j) + k * last.window_dilation;
              a = lanes::combine(a, at == nullptr ? initial : element(at, true));
              b = lanes::combine(b, at == nullptr ? initial : element(at + width * last.stride, reads_behind));
            }
          lanes::store(a, to + j);
          lanes::store(b, to + j + width);
        }
        for (; j + width <= end; j += width) {
          auto a = lanes::load(to + j);
          for (index_t r = 0; r < row.count; ++r)
            for (index_t k = 0; k < last.window; ++k)
              a = lanes::combine(
                  a, row.rows[r] < 0 ? initial : element(first(r, j) + k * last.window_dilation, j + width < end));
          lanes::store(a, to + j);
        }
      }
    } else if (is_first) {
      fill(to + begin, end - begin);
    }
    combine_at_edge(row, to, j, end);
  }

  // to[j] = body(...body(to[j], place(0)[j])..., place(count - 1)[j]), from the initial value on if this is the first.
  // A function of its own, for what it counts with to stay in registers.
  template <bool HasHoles, class Place>
  [[gnu::noinline]] static void combine_places(Place place, index_t count, T* to, index_t begin, index_t end,
                                               const T& initial_element, bool is_first) {
    const index_t width = lanes::count();
    const auto initial = lanes::repeated(initial_element);
    index_t j = begin;
    for (; j + 4 * width <= end; j += 4 * width) {
      T* const at = to + j;
      auto a = initial, b = initial, c = initial, d = initial;
      if (!is_first) {
        a = lanes::load(at), b = lanes::load(at + width);
        c = lanes::load(at + 2 * width), d = lanes::load(at + 3 * width);
      }
      for (index_t p = 0; p < count; ++p) {
        const S* const from = place(p);
        if (HasHoles && from == nullptr) {
          a = lanes::combine(a, initial), b = lanes::combine(b, initial);
          c = lanes::combine(c, initial), d = lanes::combine(d, initial);
        } else {
          const S* const under = from + j;
          a = lanes::combine(a, lanes::load(under)), b = lanes::combine(b, lanes::load(under + width));
          c = lanes::combine(c, lanes::load(under + 2 * width)), d = lanes::combine(d, lanes::load(under + 3 * width));
        }
      }
      lanes::store(a, at), lanes::store(b, at + width);
      lanes::store(c, at + 2 * width), lanes::store(d, at + 3 * width);
    }
    for (; j < end; j += width) {
      const index_t some = end - j < width ? end - j : width;
      auto a = initial;
      if (!is_first) a = lanes::load(to + j, some);
      for (index_t p = 0; p < count; ++p)
        a = lanes::combine(a, HasHoles && place(p) == nullptr ? initial : lanes::load(place(p) + j, some));
      lanes::store(a, to + j, some);
    }
  }

  // Place by place, each for all results that have it within the operand.
  void combine_at_edge(const outer_row& row, T* to, index_t begin, index_t end) const {
    if (begin >= end) return;
    const ops::window_axis& last = axes_[outer_];
    const index_t step = strides_.at[outer_];
    const auto with_initial = [&](index_t from, index_t behind) {
      for (index_t j = from; j < behind; ++j) to[j] = combine_elements<Body, T>(to[j], initial_);
    };
    for (index_t r = 0; r < row.count; ++r)
      for (index_t k = 0; k < last.window; ++k) {
        if (row.rows[r] < 0) {
          with_initial(begin, end);
        } else if (last.base_dilation != 1) {
          for (index_t j = begin; j < end; ++j) {
            const index_t at = last.position(j, k);
            to[j] = combine_elements<Body>(to[j], at < 0 ? initial_ : convert_to<T>(from_[row.rows[r] + at * step]));
          }
        } else {
          const index_t inside = last.first_not_below(0, k, begin, end);
          const index_t behind = last.first_not_below(last.size, k, inside, end);
          with_initial(begin, inside);
          const S* const at =
              from_ + row.rows[r] + wrap::subtract(inside * last.stride + k * last.window_dilation, last.low) * step;
          combine_row(at, last.stride * step, to + inside, behind - inside);
          with_initial(behind, end);
        }
      }
  }
  static void combine_row(const S* from, index_t stride, T* to, index_t count) {
    index_t j = 0;
    if constexpr (lanes::is_supported)
      if (stride == 1)
        for (const index_t width = lanes::count(); j + width <= count; j += width)
          lanes::store(lanes::combine(lanes::load(to + j), lanes::load(from + j)), to + j);
    for (; j < count; ++j) to[j] = combine(to[j], from[j * stride]);
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
  needs all = window_walk(window, shape, e.result_types.data[0].shape).needs_of(body_lanes<Body, T, S>::is_supported);
  if (cumulative_windows(window, shape).is_supported()) all.add(window_branch::cumulative);
  return all;
}

}  // namespace tenon::kernels
