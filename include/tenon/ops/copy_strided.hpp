// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/strided.hpp>

namespace tenon::ops {

// Where the elements of a box lie in a tensor: element 0 at `base`, neighbours along axis i strides[i] apart. Counted
// in elements.
struct box_in_memory {
  index_t base = 0;
  ints strides;
};

constexpr box_in_memory whole_tensor(const ints& shape) { return {0, strides_of(shape)}; }

// Copies a box of elements of T's size.
template <class T>
void copy_strided(const ints& shape, void* target, const box_in_memory& to, const void* source,
                  const box_in_memory& from) {
  if (shape.product() == 0) return;
  using bytes = bytes_like<T>;
  // Dimensions whose neighbours follow each other on both sides are one.
  ints sizes, to_steps, from_steps;
  for (int axis = 0; axis < shape.size; ++axis) {
    const int before = sizes.size - 1;
    if (shape.at[axis] == 1) continue;
    if (before >= 0 && to_steps.at[before] == shape.at[axis] * to.strides.at[axis] &&
        from_steps.at[before] == shape.at[axis] * from.strides.at[axis]) {
      sizes.at[before] *= shape.at[axis];
      to_steps.at[before] = to.strides.at[axis];
      from_steps.at[before] = from.strides.at[axis];
      continue;
    }
    sizes.push(shape.at[axis]), to_steps.push(to.strides.at[axis]), from_steps.push(from.strides.at[axis]);
  }
  const int last = sizes.size - 1;
  const index_t count = last < 0 ? 1 : sizes.at[last], to_step = to_steps[last], from_step = from_steps[last];
  sizes.size = last < 0 ? 0 : last;
  bytes* const t = static_cast<bytes*>(target) + to.base;
  const bytes* const s = static_cast<const bytes*>(source) + from.base;
  const auto for_each_row = [&](auto copy) {
    for_each_offset(
        sizes, [&](index_t to_offset, index_t from_offset) { copy(t + to_offset, s + from_offset); }, to_steps,
        from_steps);
  };
  const index_t size = count * index_t(sizeof(bytes)), row_step = from_steps[last - 1];
  if (last > 0 && to_step == 1 && from_step == 1 && are_even_rows(size)) {
    constexpr index_t each = index_t(sizeof(bytes));
    const index_t rows = sizes.at[last - 1], to_row = to_steps.at[last - 1] * each, from_row = row_step * each;
    --sizes.size;
    for_each_row([=](bytes* row, const bytes* read) { copy_spaced_rows(row, to_row, read, from_row, rows, size); });
  } else if (count > 1 && to_step == 1 && from_step == 1 && row_step != 0 && row_step != count)
    for_each_row([size](bytes* row, const bytes* read) { copy_scattered_row(row, read, size); });
  else if (count == 1 || (to_step == 1 && from_step == 1))
    for_each_row([size](bytes* row, const bytes* read) { copy_row(row, read, size); });
  else if (to_step == 1)
    for_each_row([=](bytes* row, const bytes* read) { copy_run(row, read, from_step, count); });
  else
    for_each_row([=](bytes* row, const bytes* read) {
      for (index_t i = 0; i < count; ++i) row[i * to_step] = read[i * from_step];
    });
}

}  // namespace tenon::ops
