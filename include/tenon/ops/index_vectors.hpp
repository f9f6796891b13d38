// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/read_index.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/core/tensor_type.hpp>

namespace tenon {

// What gather and scatter have in common. A tensor of index vectors names windows of an operand, and the elements of
// all the windows stand in a tensor of their own: gather's result, scatter's updates. Its dimensions in `window_dims`
// run over a window, the others over the index vectors. `dropped_dims` of the operand are no dimensions of the windows,
// and neither are `operand_batching_dims`, whose index is that of the index vectors along `indices_batching_dims`.
struct window_numbers {
  ints window_dims, dropped_dims, operand_batching_dims, indices_batching_dims, index_map;
  index_t index_vector_dim = 0;

  constexpr bool has_no_window_dim(index_t operand_axis) const {
    return dropped_dims.contains(operand_axis) || operand_batching_dims.contains(operand_axis);
  }
  constexpr ints window_sizes(const ints& operand_sizes) const {
    return operand_sizes.without(dropped_dims + operand_batching_dims);
  }
};

// The shape that has `window` at the axes in `window_dims` and `batch` at the others.
constexpr ints combine_shapes(const ints& batch, const ints& window, const ints& window_dims) {
  ints shape;
  int b = 0, w = 0;
  for (int axis = 0; axis < batch.size + window.size; ++axis)
    shape.push(window_dims.contains(axis) ? window[w++] : batch[b++]);
  return shape;
}

// Distances between the elements of a window in the tensor of windows, by axis of the operand.
constexpr ints window_strides(const window_numbers& numbers, int operand_rank, const ints& windows_shape) {
  const ints strides = strides_of(windows_shape).select(numbers.window_dims);
  ints result;
  int w = 0;
  for (int axis = 0; axis < operand_rank; ++axis) result.push(numbers.has_no_window_dim(axis) ? 0 : strides[w++]);
  return result;
}

// From `begin` on, before `end`.
struct index_range {
  index_t begin = 0, end = 0;
};

// The indices of a window of `size` elements, the first at `start`, that lie within a dimension of `limit` elements.
constexpr index_range part_inside(index_t start, index_t size, index_t limit) {
  if (start <= -size || start >= limit) return {};
  return {start < 0 ? -start : 0, start > limit - size ? limit - start : size};
}

// Calls f(start, base) for every index vector, in row-major order: where its window begins in the operand, as the
// vector says it, and at which position of the tensor of windows it begins.
template <class Function>
void for_each_window(const window_numbers& numbers, const ints& operand, const tensor_type& indices,
                     const void* index_values, const ints& windows, Function f) {
  const ints vectors = indices.shape.without({numbers.index_vector_dim});
  const ints steps = strides_of(indices.shape), window_steps = strides_of(windows).without(numbers.window_dims);
  const index_t component = steps[numbers.index_vector_dim];
  if (vectors.product() == 0) return;
  ints vector = ints::filled(vectors.size, 0);
  const ints vector_steps = steps.without({numbers.index_vector_dim});
  do {
    index_t first = 0, base = 0;
    for (int i = 0; i < vectors.size; ++i) {
      first += vector[i] * vector_steps[i];
      base += vector[i] * window_steps[i];
    }
    ints start = ints::filled(operand.size, 0);
    for (int k = 0; k < numbers.index_map.size; ++k)
      start.set(numbers.index_map[k], read_index(indices.element, index_values, first + k * component));
    for (int k = 0; k < numbers.operand_batching_dims.size; ++k) {
      const index_t axis = numbers.indices_batching_dims[k];
      start.set(numbers.operand_batching_dims[k], vector[axis - (axis < numbers.index_vector_dim ? 0 : 1)]);
    }
    f(static_cast<const ints&>(start), base);
  } while (advance(vectors, vector));
}

// The same for windows of a single element: calls f(positions, count, base, step) for neighbouring index vectors, in
// row-major order: where in the operand they point, and that elements base, base + step, ... of the tensor of windows
// belong to them. What points outside of the operand is below zero.
template <class Function>
void for_each_element(const window_numbers& numbers, const ints& operand, const tensor_type& indices,
                      const void* index_values, const ints& windows, Function f) {
  constexpr index_t most = 256, outside = -(index_t(1) << 58);
  ints vectors = indices.shape.without({numbers.index_vector_dim});
  if (vectors.product() == 0) return;
  const ints steps = strides_of(indices.shape), strides = strides_of(operand);
  const ints vector_steps = steps.without({numbers.index_vector_dim});
  const ints window_steps = strides_of(windows).without(numbers.window_dims);
  const int last = vectors.size - 1;
  const index_t row = vectors[last], index_step = vector_steps[last], window_step = window_steps[last];
  const index_t component = steps[numbers.index_vector_dim];
  if (last >= 0) --vectors.size;
  for_each_index(vectors, [&](const ints& outer) {
    index_t first = 0, base = 0, fixed = 0, along = 0;
    for (int i = 0; i < last; ++i) {
      first += outer.at[i] * vector_steps.at[i];
      base += outer.at[i] * window_steps.at[i];
    }
    for (int k = 0; k < numbers.operand_batching_dims.size; ++k) {
      const index_t written = numbers.indices_batching_dims[k];
      const int axis = int(written - (written < numbers.index_vector_dim ? 0 : 1));
      const index_t stride = strides[numbers.operand_batching_dims[k]];
      (axis == last ? along : fixed) += axis == last ? stride : outer[axis] * stride;
    }
    const index_t count = last < 0 ? 1 : row;
    for (index_t done = 0; done < count; done += most) {
      const index_t some = count - done < most ? count - done : most;
      index_t positions[most];
      if (along == 0)
        for (index_t i = 0; i < some; ++i) positions[i] = fixed;
      else
        for (index_t i = 0; i < some; ++i) positions[i] = fixed + (done + i) * along;
      for (int k = 0; k < numbers.index_map.size; ++k) {
        const index_t axis = numbers.index_map[k], limit = operand[axis], stride = strides[axis];
        add_index_offsets(indices.element, index_values, first + done * index_step + k * component, index_step, some,
                          limit, stride, outside, positions);
      }
      f(static_cast<const index_t*>(positions), some, base + done * window_step, window_step);
    }
  });
}

}  // namespace tenon
