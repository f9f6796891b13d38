// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/read_index.hpp>
#include <tenon/core/scatter_positions.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/core/tensor_type.hpp>

#include <cstdint>
#include <type_traits>

namespace tenon {

// What gather and scatter have in common. A tensor of index vectors names windows of an operand, and the elements of
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

// Positions that have been found, below zero where they are outside.
struct found_positions {
  const index_t* positions;

  bool is_inside(index_t i) const { return positions[i] >= 0; }
  index_t operator[](index_t i) const { return positions[i]; }
  scatter_positions indices_of() const { return {positions, false, 0, INT64_MAX, 1}; }
};
// Positions that one index each decides, found when they are asked for.
template <class I, class Offset>
struct indexed_positions {
  const I* indices;
  index_t first;
  Offset offset_of;

  bool is_inside(index_t i) const { return offset_of.is_inside(index_t(indices[i])); }
  index_t operator[](index_t i) const { return first + offset_of(index_t(indices[i])); }

  scatter_positions indices_of() const {
    return {indices, std::is_same_v<I, std::int32_t>, first, offset_of.last, offset_of.stride};
  }

  // Whether positions behind `first` are the indices themselves, kept inside, for twice as many of them to fill a
  // vector.
  bool is_narrow() const
    requires std::is_same_v<Offset, clamp_to_bounds> && std::is_same_v<I, std::int32_t>
  {
    return offset_of.stride == 1 && offset_of.last <= INT32_MAX;
  }
  std::int32_t nearest(index_t i) const
    requires std::is_same_v<Offset, clamp_to_bounds> && std::is_same_v<I, std::int32_t>
  {
    const std::int32_t index = indices[i], last = std::int32_t(offset_of.last);
    return index < 0 ? 0 : index > last ? last : index;
  }
};

// Calls f(positions, count, base, step) for neighbouring index vectors, in row-major order: positions[i] is where in
// the operand the window begins whose elements stand in the tensor of windows at base + i * step, and further on.
// `last` says by axis where windows may begin, Offset what becomes of others: positions.is_inside(i) is false if they
// are to be left out.
template <class Offset, class Function>
void for_each_position(const window_numbers& numbers, const ints& operand, const ints& last, const tensor_type& indices,
                       const void* index_values, const ints& windows, const Function& f) {
  constexpr index_t most = 256;
  ints vectors = indices.shape.without({numbers.index_vector_dim});
  if (vectors.product() == 0) return;
  const ints steps = strides_of(indices.shape), strides = strides_of(operand);
  ints vector_steps = steps.without({numbers.index_vector_dim});
  ints window_steps = strides_of(windows).without(numbers.window_dims);
  // Dimensions whose neighbours follow each other are one.
  for (int i = vectors.size - 1; i > 0 && numbers.operand_batching_dims.empty(); --i) {
    if (vector_steps.at[i - 1] != vectors.at[i] * vector_steps.at[i]) break;
    if (window_steps.at[i - 1] != vectors.at[i] * window_steps.at[i]) break;
    vectors.at[i - 1] *= vectors.at[i];
    vector_steps.at[i - 1] = vector_steps.at[i], window_steps.at[i - 1] = window_steps.at[i];
    --vectors.size, --vector_steps.size, --window_steps.size;
  }
  const int inner = vectors.size - 1;
  const index_t count = inner < 0 ? 1 : vectors.at[inner], component = steps[numbers.index_vector_dim];
  const index_t index_step = vector_steps[inner], window_step = window_steps[inner];
  if (inner >= 0) --vectors.size;
  for_each_index(vectors, [&](const ints& outer) {
    index_t first = 0, base = 0, fixed = 0, along = 0;
    for (int i = 0; i < inner; ++i) {
      first += outer.at[i] * vector_steps.at[i];
      base += outer.at[i] * window_steps.at[i];
    }
    for (int k = 0; k < numbers.operand_batching_dims.size; ++k) {
      const index_t written = numbers.indices_batching_dims[k];
      const int axis = int(written - (written < numbers.index_vector_dim ? 0 : 1));
      const index_t stride = strides[numbers.operand_batching_dims[k]];
      (axis == inner ? along : fixed) += axis == inner ? stride : outer[axis] * stride;
    }
    const auto offset_along = [&](index_t axis) { return Offset{last[axis], strides[axis]}; };
    if (numbers.index_map.size == 1 && along == 0 && (index_step == 1 || count == 1)) {
      const auto found = [&]<class I>(const I* values) {
        f(indexed_positions<I, Offset>{values + first, fixed, offset_along(numbers.index_map[0])}, count, base,
          window_step);
      };
      if (indices.element == dtype::i32) return found(static_cast<const i32*>(index_values));
      if (indices.element == dtype::i64) return found(static_cast<const i64*>(index_values));
    }
    for (index_t done = 0; done < count; done += most) {
      const index_t some = count - done < most ? count - done : most;
      index_t positions[most];
      for (index_t i = 0; i < some; ++i) positions[i] = fixed + (done + i) * along;
      for (int k = 0; k < numbers.index_map.size; ++k)
        add_index_offsets(indices.element, index_values, first + done * index_step + k * component, index_step, some,
                          offset_along(numbers.index_map[k]), positions);
      f(found_positions{positions}, some, base + done * window_step, window_step);
    }
  });
}

}  // namespace tenon
