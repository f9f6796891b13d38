// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/fold.hpp>
#include <tenon/ops/copy_value.hpp>

namespace tenon {

namespace detail {

// An op that combines the elements of one tensor with those of another, at places that a third one names.
template <class Op>
concept folds_at_indices = Op::folds_at_indices;

// result[positions[i]] = body(that, updates[i * step]), for positions inside. A function of its own, for what
// it counts with to stay in registers.
template <class Body, class T, class Positions>
[[gnu::noinline]] void fold_at(T* result, Positions positions, const T* updates, index_t step, index_t count) {
  for (index_t i = 0; i < count; ++i)
    if (positions.is_inside(i)) {
      const index_t at = positions[i];
      result[at] = combine_elements<Body, T>(result[at], updates[i * step]);
    }
}

}  // namespace detail

// Runs such an op by one op: result = body(result, update) for one update after the other.
template <class Op, class Body, class T>
void indexed_fold_kernel(const evaluation& e) {
  using lanes = detail::body_lanes<Body, T>;
  copy_converted(e, 0);
  T* const result = e.result<T>();
  const T* const updates = e.operand<T>(2);
  read_attributes<Op>(e.words).for_each_part(
      e,
      [&](auto positions, index_t count, index_t from, index_t step, index_t run) {
        if (run == 1) detail::fold_at<Body>(result, positions, updates + from, step, count);
        return run == 1;
      },
      [&](index_t to, index_t from, index_t to_step, index_t from_step, index_t count) {
        index_t i = 0;
        if constexpr (lanes::serve)
          if (to_step == 1 && from_step == 1)
            for (const index_t width = lanes::count(); i + width <= count; i += width)
              lanes::store(lanes::combine(lanes::load(result + to + i), lanes::load(updates + from + i)),
                           result + to + i);
        for (; i < count; ++i)
          result[to + i * to_step] =
              detail::combine_elements<Body, T>(result[to + i * to_step], updates[from + i * from_step]);
      });
}

}  // namespace tenon
