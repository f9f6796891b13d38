// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_value.hpp>

namespace tenon::ops {

// The shape of `count` slices of this shape along a dimension of their own.
constexpr ints shape_of_slices(const ints& slice, index_t dimension, index_t count) {
  ints result;
  for (int d = 0; d <= slice.size; ++d) {
    if (d == dimension) result.push(count);
    if (d < slice.size) result.push(slice[d]);
  }
  return result;
}

// A tensor in memory as its slices along a dimension: `outer` times `count` pieces of `inner` bytes, of which slice i
// has every piece i. Slices of several pieces are put together in a copy, others are used where they lie.
struct slices_along {
  index_t outer = 1, count, inner;

  constexpr slices_along(const tensor_type& type, index_t dimension)
      : count(type.dim(int(dimension))), inner(storage_bytes(type.element)) {
    for (int d = 0; d < type.rank(); ++d) {
      if (d < dimension) outer *= type.dim(d);
      if (d > dimension) inner *= type.dim(d);
    }
  }
  constexpr bool in_place() const { return outer == 1; }
  constexpr index_t copied_bytes() const { return in_place() ? 0 : outer * inner; }

  // Where slice i can be read.
  const void* read(const void* whole, index_t i, void* copy) const {
    const auto* const from = static_cast<const unsigned char*>(whole) + i * inner;
    if (in_place()) return from;
    for (index_t k = 0; k < outer; ++k)
      copy_bytes(static_cast<unsigned char*>(copy) + k * inner, from + k * count * inner, inner);
    return copy;
  }
  // Where slice i is to be written, before `write` puts it into the whole.
  void* room(void* whole, index_t i, void* copy) const {
    return in_place() ? static_cast<unsigned char*>(whole) + i * inner : copy;
  }
  void write(void* whole, index_t i, const void* slice) const {
    auto* const to = static_cast<unsigned char*>(whole) + i * inner;
    for (index_t k = 0; !in_place() && k < outer; ++k)
      copy_bytes(to + k * count * inner, static_cast<const unsigned char*>(slice) + k * inner, inner);
  }
};

}  // namespace tenon::ops
