// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/rooms.hpp>

#include <cstdint>
#include <initializer_list>

namespace tenon {

using index_t = std::int64_t;

// The largest rank of a tensor.
inline constexpr int max_rank = 8;

// A short list of integers: a shape, axes, an index. Total, so that a rule may go on after another has failed: reading
// past the end gives 0, and what does not fit is counted in `dropped` instead of being written.
struct ints {
  index_t at[max_rank]{};
  int size = 0;
  int dropped = 0;

  constexpr ints() = default;
  constexpr ints(std::initializer_list<index_t> values) {
    for (index_t value : values) push(value);
  }

  // A constant is a list of one: sum<0>(x).
  consteval ints(index_t value) { push(value); }

  static constexpr ints filled(int count, index_t value) {
    ints result;
    for (int i = 0; i < count; ++i) result.push(value);
    return result;
  }
  // 0, 1, ..., count - 1.
  static constexpr ints range(int count) {
    ints result;
    for (int i = 0; i < count; ++i) result.push(i);
    return result;
  }

  constexpr void push(index_t value) {
    if (size < max_rank) {
      at[size++] = value;
    } else {
      ++dropped;
    }
  }
  constexpr index_t operator[](index_t i) const { return 0 <= i && i < size ? at[i] : 0; }
  constexpr void set(index_t i, index_t value) {
    if (0 <= i && i < size) at[i] = value;
  }
  constexpr const index_t* begin() const { return at; }
  constexpr const index_t* end() const { return at + size; }
  constexpr bool empty() const { return size == 0; }

  // The position of `value`, or -1.
  constexpr int find(index_t value) const {
    for (int i = 0; i < size; ++i)
      if (at[i] == value) return i;
    return -1;
  }
  constexpr bool contains(index_t value) const { return find(value) >= 0; }
  // low <= all < high
  constexpr bool within(index_t low, index_t high) const {
    for (index_t value : *this)
      if (value < low || value >= high) return false;
    return true;
  }
  constexpr bool unique() const {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < i; ++j)
        if (at[i] == at[j]) return false;
    return true;
  }
  constexpr bool sorted() const {
    for (int i = 1; i < size; ++i)
      if (at[i - 1] > at[i]) return false;
    return true;
  }
  constexpr bool positive() const {
    for (index_t value : *this)
      if (value <= 0) return false;
    return true;
  }
  constexpr ints without(const ints& axes) const {
    ints kept;
    for (int i = 0; i < size; ++i)
      if (!axes.contains(i)) kept.push(at[i]);
    return kept;
  }
  // The entries at `axes`, in the order of `axes`.
  constexpr ints select(const ints& axes) const {
    ints chosen;
    for (index_t axis : axes) chosen.push((*this)[axis]);
    return chosen;
  }
  // Saturates at the largest index_t, so that a hostile shape is too large rather than small.
  constexpr index_t product() const {
    index_t result = 1;
    for (index_t value : *this) {
      if (value == 0) return 0;
      if (__builtin_mul_overflow(result, value, &result)) return INT64_MAX;
    }
    return result;
  }

  friend constexpr bool operator==(const ints& a, const ints& b) {
    if (a.size != b.size || a.dropped != b.dropped) return false;
    for (int i = 0; i < a.size; ++i)
      if (a.at[i] != b.at[i]) return false;
    return true;
  }
  friend constexpr ints operator+(const ints& a, const ints& b) {
    ints both = a;
    for (index_t value : b) both.push(value);
    return both;
  }
};

// Row-major distance, in elements, between neighbours along each axis.
constexpr ints strides_of(const ints& shape) {
  ints strides = shape;
  index_t stride = 1;
  for (int axis = shape.size - 1; axis >= 0; --axis) {
    strides.at[axis] = stride;
    if (shape.at[axis] > 0 && __builtin_mul_overflow(stride, shape.at[axis], &stride)) {
      for (int all = 0; all < shape.size; ++all) strides.at[all] = 0;
      break;
    }
  }
  return strides;
}

// The row-major position of `index` in a tensor of this shape.
constexpr index_t offset_of(const ints& shape, const ints& index) {
  index_t result = 0;
  for (int axis = 0; axis < shape.size; ++axis) result = result * shape.at[axis] + index[axis];
  return result;
}

// Steps `index` to the next one below `shape` in row-major order; false after the last.
constexpr bool advance(const ints& shape, ints& index) {
  for (int axis = shape.size - 1; axis >= 0; --axis) {
    if (++index.at[axis] < shape.at[axis]) return true;
    index.at[axis] = 0;
  }
  return false;
}

// Calls f(index) for every index below `shape`, in row-major order.
template <class Function>
constexpr void for_each_index(const ints& shape, Function f) {
  if (shape.product() == 0) return;
  ints index = ints::filled(shape.size, 0);
  do {
    f(static_cast<const ints&>(index));
  } while (advance(shape, index));
}

}  // namespace tenon
