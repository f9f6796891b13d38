// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/scatter_positions.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/kernels/lookup/slices.hpp>
#include <tenon/ops/copy_value.hpp>

#include <cstdint>
#include <cstring>

namespace tenon::kernels {

// Runs a region (E, E) -> E of ops that work element by element on many elements of a tensor, wherever these lie.
class region_scatter {
 public:
  region_scatter(const evaluation& e, int region, const tensor_type& elements)
      : bytes_(storage_bytes(elements.element)) {
    const signature& types = e.regions.data[region];
    if (types.arguments.size != 2 || types.results.size != 1 || elements.quantization != 0) return;
    for (const tensor_type& type : {types.arguments.data[0], types.arguments.data[1], types.results.data[0]})
      if (type.element != elements.element || type.quantization != 0) return;
    lanes_ = e.lanes_of(region);
  }
  region_scatter(const region_scatter&) = delete;

  // @return whether the region is made of such ops, and has the type of the elements.
  bool is_supported() const { return bool(lanes_); }

  // to[k] = region(to[k], elements[k]) for 0 <= k < count
  void combine(void* to, const void* elements, index_t count) {
    if (lanes_.forwarded == 0) return;
    if (lanes_.forwarded == 1) return copy_scattered_row(to, elements, count * bytes_);
    const void* const arguments[] = {to, elements};
    lanes_(arguments, &to, count);
  }

  // to[p + r] = region(to[p + r], elements[k * step + r]) for 0 <= r < run, for one k after the other, where position p
  // of k is inside.
  void combine_at(void* to, const scatter_positions& positions, const void* elements, index_t step, index_t count,
                  index_t run) {
    if (lanes_.forwarded == 0) return;
    if (lanes_.forwarded < 0 && lanes_.compiled.fold_at != nullptr)
      return lanes_.compiled.fold_at(to, positions, elements, step, count, run);
    with_bytes(bytes_, [&]<class Bytes>(Bytes) {
      auto* const target = static_cast<Bytes*>(to);
      const auto* const source = static_cast<const Bytes*>(elements);
      if (run > 1)
        positions.for_each_inside(count, [&](index_t k, index_t at) { combine(target + at, source + k * step, run); });
      else if (lanes_.forwarded == 1)
        put_at(target, positions, source, step, count);
      else
        combine_in_rounds(target, positions, source, step, count);
    });
  }

 private:
  // Different elements at a time: those whose places in a small table are different.
  static constexpr index_t most_at_once = 128, places = 8192;

  template <class Bytes>
  [[gnu::noinline]] static void put_at(Bytes* to, const scatter_positions& positions, const Bytes* from, index_t step,
                                       index_t count) {
    positions.for_each_inside(count, [=](index_t k, index_t at) { to[at] = from[k * step]; });
  }

  template <class Bytes>
  void combine_in_rounds(Bytes* to, const scatter_positions& positions, const Bytes* from, index_t step,
                         index_t count) {
    alignas(64) Bytes before[most_at_once]{}, taken[most_at_once]{};
    index_t at[most_at_once];
    for (index_t k = 0; k < count;) {
      if (++round_ == 1) std::memset(rounds_, 0, sizeof rounds_);
      const index_t most = count - k < most_at_once ? count - k : most_at_once;
      const index_t some = find_different(positions, k, most, at);
      for (index_t i = 0; i < some; ++i)
        if (at[i] >= 0) before[i] = to[at[i]];
      copy_run(taken, from + k * step, step, some);
      combine(before, taken, some);
      for (index_t i = 0; i < some; ++i)
        if (at[i] >= 0) to[at[i]] = before[i];
      k += some;
    }
  }
  // Positions first, first + 1, ..., up to one that has been there before in this round, or shares its place in the
  // table with such a one. @return how many they are.
  [[gnu::noinline]] index_t find_different(const scatter_positions& positions, index_t first, index_t most,
                                           index_t* at) {
    for (index_t i = 0; i < most; ++i) {
      at[i] = positions.exact(first + i);
      if (at[i] < 0) continue;
      std::uint8_t& last = rounds_[std::uint64_t(at[i]) % places];
      if (last == round_) return i;
      last = round_;
    }
    return most;
  }

  index_t bytes_;
  std::uint8_t round_ = 0;       // from 1 on, again and again
  std::uint8_t rounds_[places];  // in which round each place of the table was last taken
  lane_function lanes_;
};

// An op that combines the elements of one tensor with those of another, at places that a third one names.
template <class Op>
concept folds_at_indices = Op::folds_at_indices;

// From `begin` on, before `end`.
struct index_range {
  index_t begin = 0, end = 0;
};

// The indices of a window of `size` elements, the first at `start`, that lie within a dimension of `limit` elements.
constexpr index_range part_inside(index_t start, index_t size, index_t limit) {
  if (start <= -size || start >= limit) return {};
  return {start < 0 ? -start : 0, start > limit - size ? limit - start : size};
}

// How many elements windows have that lie in one piece, in the result and among the updates, and that indices move only
// along dimensions in which they have one element; 0 if they are different.
constexpr index_t run_of_windows(const ops::window_numbers& numbers, const ints& window, const ints& strides,
                                 const ints& steps) {
  index_t run = 1;
  for (int axis = window.size - 1; axis >= 0; --axis) {
    if (window.at[axis] == 1) continue;
    if (strides.at[axis] != run || steps.at[axis] != run || numbers.index_map.contains(axis)) return 0;
    run *= window.at[axis];
  }
  return run;
}

// How elements of the updates are combined with elements of the result.
struct scatter_functions {
  // At position i of `count` + r, for 0 <= r < run: update from + i * step + r.
  function_reference<void(const scatter_positions&, index_t count, index_t from, index_t step, index_t run)> at;
  // At to + i * to_step, for 0 <= i < count: update from + i * from_step.
  function_reference<void(index_t to, index_t from, index_t to_step, index_t from_step, index_t count)> row;
};

// Combines what all windows have within the result, in row-major order of the index vectors.
inline void scatter_windows(const evaluation& e, const ops::window_numbers& windows, const scatter_functions& combine) {
  const int n = e.results.size;
  const ints &shape = e.result_types.data[0].shape, &updates = e.operand_types.data[n + 1].shape;
  const tensor_type& indices = e.operand_types.data[n];
  const ints strides = strides_of(shape), steps = ops::window_strides(windows, shape.size, updates);
  const ints window = ops::window_shape(windows, shape.size, updates);
  if (const index_t run = run_of_windows(windows, window, strides, steps); run > 0 && shape.product() > 0) {
    // Where an index moves them, such windows have one element: they are inside or outside, but never in part.
    ints last = shape;
    for (int axis = 0; axis < last.size; ++axis) --last.at[axis];
    const auto take = [&](const scatter_positions& positions, index_t count, index_t from, index_t step) {
      combine.at(positions, count, from, step, run);
    };
    return for_each_position<drop_out_of_bounds>(windows, shape, last, indices, e.operands.data[n], updates, take);
  }
  ops::for_each_window(windows, shape, indices, e.operands.data[n], updates, [&](const ints& start, index_t base) {
    ints kept;
    index_t to = 0, from = base;
    for (int axis = 0; axis < shape.size; ++axis) {
      const index_range inside = part_inside(start[axis], window[axis], shape[axis]);
      if (inside.begin == inside.end) return;
      kept.push(inside.end - inside.begin);
      to += (start[axis] + inside.begin) * strides[axis];
      from += inside.begin * steps[axis];
    }
    const int last = shape.size - 1;
    ints rows = kept;
    if (last >= 0) rows.at[last] = 1;
    for_each_offset(
        rows,
        [&](index_t to_offset, index_t from_offset) {
          combine.row(to + to_offset, from + from_offset, strides[last], steps[last], last < 0 ? 1 : kept.at[last]);
        },
        strides, steps);
  });
}

// to[i * to_step] = body(that, from[i * from_step])
template <class Body, class T>
void fold_row(T* to, const T* from, index_t to_step, index_t from_step, index_t count) {
  using lanes = body_lanes<Body, T>;
  index_t i = 0;
  if constexpr (lanes::is_supported)
    if (to_step == 1 && from_step == 1)
      for (const index_t width = lanes::count(); i + width <= count; i += width)
        lanes::store(lanes::combine(lanes::load(to + i), lanes::load(from + i)), to + i);
  for (; i < count; ++i) to[i * to_step] = combine_elements<Body, T>(to[i * to_step], from[i * from_step]);
}

// result[p + r] = body(that, updates[i * step + r]) for 0 <= r < run, where position p of i is inside. A function of
// its own, for what it counts with to stay in registers.
template <class Body, class T>
[[gnu::noinline]] void fold_at(T* result, const scatter_positions& positions, const T* updates, index_t step,
                               index_t count, index_t run) {
  if (run == 1)
    positions.for_each_inside(
        count, [=](index_t i, index_t at) { result[at] = combine_elements<Body, T>(result[at], updates[i * step]); });
  else
    positions.for_each_inside(
        count, [=](index_t i, index_t at) { fold_row<Body>(result + at, updates + i * step, 1, 1, run); });
}

// Runs such an op by one associative op: result = body(result, update) for one update after the other.
template <class Op, class Body, class T>
void indexed_fold_kernel(const evaluation& e) {
  ops::copy_converted(e, 0);
  T* const result = e.result<T>();
  const T* const updates = e.operand<T>(2);
  const Op op = read_attributes<Op>(e.words);
  const auto at = [=](const scatter_positions& positions, index_t count, index_t from, index_t step, index_t run) {
    fold_at<Body>(result, positions, updates + from, step, count, run);
  };
  const auto row = [=](index_t to, index_t from, index_t to_step, index_t from_step, index_t count) {
    fold_row<Body>(result + to, updates + from, to_step, from_step, count);
  };
  scatter_windows(e, op.scatter_dimension_numbers.windows(), {at, row});
}

// Runs it by a region of ops that work element by element, if it is for one tensor; otherwise the op runs itself.
template <class Op>
void scatter_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  if (e.results.size != 1) return op.template evaluate<void>(e);
  region_scatter region(e, 0, e.operand_types.data[2]);
  if (!region.is_supported()) return op.template evaluate<void>(e);
  ops::copy_converted(e, 0);
  const index_t bytes = storage_bytes(e.result_types.data[0].element);
  std::byte* const result = e.result<std::byte>();
  const std::byte* const updates = e.operand<std::byte>(2);
  const auto at = [&](const scatter_positions& positions, index_t count, index_t from, index_t step, index_t run) {
    region.combine_at(result, positions, updates + from * bytes, step, count, run);
  };
  const auto row = [&](index_t to, index_t from, index_t to_step, index_t from_step, index_t count) {
    if (to_step == 1 && from_step == 1) return region.combine(result + to * bytes, updates + from * bytes, count);
    constexpr index_t most = 64;
    index_t numbers[most];
    for (index_t i = 0; i < most; ++i) numbers[i] = i;
    for (index_t done = 0; done < count; done += most)
      region.combine_at(result, {numbers, false, to + done * to_step, most - 1, to_step},
                        updates + (from + done * from_step) * bytes, from_step,
                        count - done < most ? count - done : most, 1);
  };
  scatter_windows(e, op.scatter_dimension_numbers.windows(), {at, row});
}

}  // namespace tenon::kernels
