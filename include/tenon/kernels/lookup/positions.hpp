// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/function_reference.hpp>
#include <tenon/core/scatter_positions.hpp>
#include <tenon/ops/index_vectors.hpp>

#include <cstdint>

namespace tenon::kernels {

// f(positions, count, base, step) for `count` neighbouring index vectors: position i is where in the operand the window
// begins whose elements stand in the tensor of windows at base + i * step, and further on.
using positions_function =
    function_reference<void(const scatter_positions&, index_t count, index_t base, index_t step)>;

// Calls f for all index vectors, in row-major order. `last` says by axis where windows may begin, Offset what becomes
// of others.
template <class Offset>
void for_each_position(const ops::window_numbers& numbers, const ints& operand, const ints& last,
                       const tensor_type& indices, const void* index_values, const ints& windows,
                       positions_function f) {
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
      const bool is_narrow = indices.element == dtype::i32;
      const auto* const from = static_cast<const unsigned char*>(index_values) + first * (is_narrow ? 4 : 8);
      const Offset offset_of = offset_along(numbers.index_map[0]);
      if (is_narrow || indices.element == dtype::i64) {
        f({from, is_narrow, fixed, offset_of.last, offset_of.stride}, count, base, window_step);
        return;
      }
    }
    for (index_t done = 0; done < count; done += most) {
      const index_t some = count - done < most ? count - done : most;
      index_t positions[most];
      for (index_t i = 0; i < some; ++i) positions[i] = fixed + (done + i) * along;
      for (int k = 0; k < numbers.index_map.size; ++k)
        add_index_offsets(indices.element, index_values, first + done * index_step + k * component, index_step, some,
                          offset_along(numbers.index_map[k]), positions);
      f({positions, false, 0, INT64_MAX, 1}, some, base + done * window_step, window_step);
    }
  });
}

}  // namespace tenon::kernels
