// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/fold.hpp>
#include <tenon/ops/copy_value.hpp>

namespace tenon {

namespace detail {

// An op that combines the elements of one tensor with those of another, at places that a third one names.
template <class Op>
concept folds_at_indices = Op::folds_at_indices;

// result[positions[i]] = body(that, updates[i * step]), without positions below zero. A function of its own, for what
// it counts with to stay in registers.
template <class Body, class T>
[[gnu::noinline]] void fold_at(T* result, const index_t* positions, const T* updates, index_t step, index_t count) {
  index_t signs = 0;
  for (index_t i = 0; i < count; ++i) signs |= positions[i];
  const bool all_inside = signs >= 0;
  const auto combine = [=](index_t at, const T& update) { result[at] = combine_elements<Body, T>(result[at], update); };
  if (all_inside && step == 1)
    for (index_t i = 0; i < count; ++i) combine(positions[i], updates[i]);
  else
    for (index_t i = 0; i < count; ++i)
      if (positions[i] >= 0) combine(positions[i], updates[i * step]);
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
      [&](const index_t* positions, index_t count, index_t from, index_t step) {
        detail::fold_at<Body>(result, positions, updates + from, step, count);
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
