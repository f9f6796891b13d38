// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/strided.hpp>

namespace tenon {

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
  const int last = shape.size - 1;
  const index_t count = last < 0 ? 1 : shape[last], to_step = to.strides[last], from_step = from.strides[last];
  ints outer = shape;
  outer.size = last < 0 ? 0 : last;
  for_each_offset(
      outer,
      [&](index_t to_offset, index_t from_offset) {
        bytes* const t = static_cast<bytes*>(target) + to.base + to_offset;
        const bytes* const s = static_cast<const bytes*>(source) + from.base + from_offset;
        if (to_step == 1 || count == 1)
          copy_run(t, s, from_step, count);
        else
          for (index_t i = 0; i < count; ++i) t[i * to_step] = s[i * from_step];
      },
      to.strides, from.strides);
}

}  // namespace tenon
