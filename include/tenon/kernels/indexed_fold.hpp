// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/fold.hpp>
#include <tenon/ops/copy_value.hpp>

namespace tenon {

namespace detail {

// An op that combines the elements of one tensor with those of another, at places that a third one names.
template <class Op>
concept folds_at_indices = Op::folds_at_indices;

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

// result[positions[i] + r] = body(that, updates[i * step + r]) for 0 <= r < run, for positions inside. A function of
// its own, for what it counts with to stay in registers.
template <class Body, class T, class Positions>
[[gnu::noinline]] void fold_at(T* result, Positions positions, const T* updates, index_t step, index_t count,
                               index_t run) {
  if (run == 1) {
    for (index_t i = 0; i < count; ++i)
      if (positions.is_inside(i)) {
        const index_t at = positions[i];
        result[at] = combine_elements<Body, T>(result[at], updates[i * step]);
      }
  } else {
    for (index_t i = 0; i < count; ++i)
      if (positions.is_inside(i)) fold_row<Body>(result + positions[i], updates + i * step, 1, 1, run);
  }
}

}  // namespace detail

// Runs such an op by one op: result = body(result, update) for one update after the other.
template <class Op, class Body, class T>
void indexed_fold_kernel(const evaluation& e) {
  copy_converted(e, 0);
  T* const result = e.result<T>();
  const T* const updates = e.operand<T>(2);
  read_attributes<Op>(e.words).for_each_part(
      e,
      [&](auto positions, index_t count, index_t from, index_t step, index_t run) {
        detail::fold_at<Body>(result, positions, updates + from, step, count, run);
        return true;
      },
      [=](index_t to, index_t from, index_t to_step, index_t from_step, index_t count) {
        detail::fold_row<Body>(result + to, updates + from, to_step, from_step, count);
      });
}

}  // namespace tenon
