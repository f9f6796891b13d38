// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/list.hpp>
#include <tenon/core/tensor_type.hpp>

#include <cstdint>

namespace tenon::ops {

// The memory that a sort along an axis works in: keys with where they stood, or columns of some rows, twice; pointers
// to the arguments of the comparator; the counts of digits. All sizes are in bytes.
struct sort_memory {
  static constexpr index_t counts_bytes = 8 * 256 * sizeof(std::uint32_t), least_counted = 64;
  static constexpr index_t most_together = 512, most_moved = 16;

  index_t rows_together;  // short rows are sorted so many at a time
  index_t column_length;  // elements of so many rows, rounded up for every multiple to be aligned
  index_t moved;          // of an element: what is sorted itself, beside what is only looked at
  index_t arguments;      // where these pointers begin: behind what is sorted
  index_t counts;
  index_t bytes;

  constexpr sort_memory(list<tensor_type> inputs, int axis, index_t pointer_bytes = index_t(sizeof(void*))) {
    const ints& shape = inputs[0].shape;
    const index_t length = shape[axis], rows = length > 0 ? shape.product() / length : 0;
    const index_t together = 0 < length && length < most_together ? most_together / length : 1;
    rows_together = rows < together ? rows : together;
    column_length = (rows_together * length + 15) / 16 * 16;
    moved = storage_bytes(inputs[0].element);
    if (inputs.size > 1) {
      moved = sizeof(std::uint32_t);
      for (const tensor_type& each : inputs) moved += storage_bytes(each.element);
      if (moved > most_moved) moved = most_moved;
    }
    const bool is_wide = inputs.size > 1 || moved > 4;
    arguments = (is_wide ? 4 : 2) * length * index_t(sizeof(index_t));
    if (arguments < 2 * moved * column_length) arguments = 2 * moved * column_length;
    counts = arguments + 2 * inputs.size * pointer_bytes;
    bytes = counts + (length < least_counted ? 0 : counts_bytes);
  }
};

}  // namespace tenon::ops
