// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/part.hpp>
#include <tenon/numpy/arrays.hpp>
#include <tenon/ops/lookup/gather.hpp>

namespace tenon {

namespace detail {

// A slice being put together, axis by axis.
struct slice_of_parts {
  ints shape;  // of what is cut
  ops::slice op;
  ints kept;  // the shape of the result

  constexpr void add(index_t first, index_t limit, index_t step) {
    op.start_indices.push(first), op.limit_indices.push(limit), op.strides.push(step);
  }
  constexpr index_t from_the_front(index_t position) const {
    return position < 0 ? position + shape[op.start_indices.size] : position;
  }
  constexpr void take(whole_axis) {
    const index_t size = shape[op.start_indices.size];
    kept.push(size);
    add(0, size, 1);
  }
  template <index_t Position>
  constexpr void take(part_at<Position>) {
    const index_t first = from_the_front(Position);
    add(first, first + 1, 1);
  }
  template <index_t First, index_t Limit, index_t Step>
  constexpr void take(part_between<First, Limit, Step>) {
    const index_t size = shape[op.start_indices.size], first = from_the_front(First);
    const index_t limit = Limit == INT64_MAX ? size : from_the_front(Limit);
    kept.push(limit > first && Step > 0 ? (limit - first - 1) / Step + 1 : 0);
    add(first, limit, Step);
  }
};

template <class... Parts>
struct part_of {
  constexpr auto operator()(const auto& x) const {
    slice_of_parts parts{type_of_operand(x).shape, {}, {}};
    (parts.take(Parts{}), ...);
    while (parts.op.start_indices.size < parts.shape.size) parts.take(all);
    return reshape_to(apply_value(parts.op, {}, x), parts.kept);
  }
};

constexpr auto row_of_value(const auto& x, const auto& i) {
  if constexpr (operand_like<decltype(i)>)
    return take_along<0, false>{}(x, i);
  else
    return reshape_to(slice_along(x, 0, i, i + 1), type_of_operand(x).shape.without({0}));
}

}  // namespace detail

}  // namespace tenon
