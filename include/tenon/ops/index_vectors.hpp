// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/batch_dimensions.hpp>
#include <tenon/core/list.hpp>
#include <tenon/core/read_index.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/core/tensor_type.hpp>

namespace tenon::ops {

// The common part of gather and scatter. A tensor of index vectors names windows of an operand, and the elements of
// all the windows stand in a tensor of their own: gather's result, scatter's updates. Its dimensions in `window_dims`
// run over a window, the others over the index vectors. `dropped_dims` of the operand are no dimensions of the windows,
// and neither are `operand_batching_dims`, whose index is that of the index vectors along `indices_batching_dims`.
// Refers to the numbers of the op.
struct window_numbers {
  const ints &window_dims, &dropped_dims, &operand_batching_dims, &indices_batching_dims, &index_map;
  index_t index_vector_dim;

  constexpr bool has_no_window_dim(index_t operand_axis) const {
    return dropped_dims.contains(operand_axis) || operand_batching_dims.contains(operand_axis);
  }
  constexpr ints window_sizes(const ints& operand_sizes) const {
    return operand_sizes.without(dropped_dims + operand_batching_dims);
  }
  // The dimensions of the index vectors (operand 1) that stand in front in the result, if the batching dimensions of
  // the operand do so too.
  constexpr batch_dimensions batches(list<tensor_type> operands) const {
    int count = 0;
    while (count < operands[1].rank() && count != index_vector_dim && !window_dims.contains(count)) ++count;
    const int batching = operand_batching_dims.size;
    if (batching == 0) return {count, 2};
    const ints leading = ints::range(batching);
    if (operand_batching_dims != leading || indices_batching_dims != leading) return {};
    return {count < batching ? count : batching, 3};
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

// `values` of the dimensions of a window, by axis of the operand; `otherwise` where windows have none.
constexpr ints by_operand_axis(const window_numbers& numbers, int operand_rank, const ints& values, index_t otherwise) {
  const ints of_window = values.select(numbers.window_dims);
  ints result;
  int w = 0;
  for (int axis = 0; axis < operand_rank; ++axis)
    result.push(numbers.has_no_window_dim(axis) ? otherwise : of_window[w++]);
  return result;
}
// Sizes of a window, and distances between its elements in the tensor of windows, by axis of the operand.
constexpr ints window_shape(const window_numbers& numbers, int operand_rank, const ints& windows) {
  return by_operand_axis(numbers, operand_rank, windows, 1);
}
constexpr ints window_strides(const window_numbers& numbers, int operand_rank, const ints& windows) {
  return by_operand_axis(numbers, operand_rank, strides_of(windows), 0);
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

}  // namespace tenon::ops
