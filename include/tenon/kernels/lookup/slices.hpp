// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/core/scatter_positions.hpp>
#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/index_vectors.hpp>

#include <cstdint>
#include <cstring>

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

// An op whose result has the slices of operand 0 that the index vectors in operand 1 name.
template <class Op>
concept gathers_slices = Op::gathers_slices;

// One type whatever the elements are: for each one, rows of every length would be compiled anew.
struct position_in_bytes {
  const index_t* positions;
  index_t element_bytes;

  index_t operator()(index_t i) const { return positions[i] * element_bytes; }
};

// Rows of a few bytes: several loads are on their way at once.
template <std::size_t Row, class Position, class Bytes>
[[gnu::always_inline]] inline void copy_few_bytes(Bytes* to, index_t step, const Bytes* from, const Position* at,
                                                  index_t count) {
  constexpr index_t together = 4;
  unsigned char rows[together][Row];
  index_t i = 0;
  for (; i + together <= count; i += together) {
    for (index_t k = 0; k < together; ++k) std::memcpy(rows[k], from + at[i + k], Row);
    for (index_t k = 0; k < together; ++k) std::memcpy(static_cast<void*>(to + (i + k) * step), rows[k], Row);
  }
  for (; i < count; ++i) std::memcpy(static_cast<void*>(to + i * step), from + at[i], Row);
}

// to[i * step + k] = from[nearest position i + k] for 0 <= k < run. A function of its own, for what it counts with to
// stay in registers.
template <class Position, class Bytes>
[[gnu::noinline]] void copy_slices(Bytes* to, index_t step, const Bytes* from, const scatter_positions& positions,
                                   index_t count, index_t run) {
  constexpr index_t size = index_t(sizeof(Bytes)), most = 256;
  const index_t bytes = run * size;
  Position at[most];
  for (index_t done = 0; done < count; done += most, to += most * step) {
    const index_t some = count - done < most ? count - done : most;
    positions.find_nearest(done, some, at);
    if (run == 1)
      copy_few_bytes<sizeof(Bytes)>(to, step, from, at, some);
    else if constexpr (sizeof(Position) == sizeof(index_t)) {
      if (bytes == 8)
        copy_few_bytes<8>(to, step, from, at, some);
      else if (bytes == 16)
        copy_few_bytes<16>(to, step, from, at, some);
      else if (are_even_rows(bytes))
        copy_placed_rows(to, step * size, from, position_in_bytes{at, size}, some, bytes);
      else
        for (index_t i = 0; i < some; ++i) copy_scattered_row(to + i * step, from + at[i], bytes);
    }
  }
}

template <class Op, class Bytes>
void gather_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  if constexpr (requires { op.check_operands(e); }) op.check_operands(e);
  const ops::window_numbers windows = op.dimension_numbers.windows();
  const ints &operand = e.operand_types.data[0].shape, &result = e.result_types.data[0].shape;
  if (result.product() == 0 || operand.product() == 0) return;
  const ints steps = ops::window_strides(windows, operand.size, result), strides = strides_of(operand);
  const ints sizes = ops::window_shape(windows, operand.size, result);
  ints last, outer = sizes;
  for (int axis = 0; axis < operand.size; ++axis) last.push(operand.at[axis] - sizes.at[axis]);
  // The longest run of a slice that is contiguous on both sides.
  index_t run = 1;
  for (int axis = operand.size - 1; axis >= 0; --axis) {
    if (sizes.at[axis] != 1 && (strides.at[axis] != run || steps.at[axis] != run)) break;
    run *= sizes.at[axis];
    outer.at[axis] = 1;
  }
  Bytes* const target = e.result<Bytes>();
  const Bytes* const source = e.operand<Bytes>(0);
  // Positions of four bytes are found in half the time.
  const bool is_narrow = run == 1 && operand.product() <= INT32_MAX;
  const auto copy = [&](const scatter_positions& positions, index_t count, index_t base, index_t step) {
    // Part by part of all slices, or slice by slice if there are only few.
    constexpr index_t few = 8;
    if (count < few && outer.product() > 1) {
      for (index_t i = 0; i < count; ++i)
        ops::copy_strided<Bytes>(sizes, target, {base + i * step, steps}, source, {positions.nearest(i), strides});
      return;
    }
    for_each_offset(
        outer,
        [&](index_t to_offset, index_t from_offset) {
          (is_narrow ? copy_slices<std::int32_t, Bytes> : copy_slices<index_t, Bytes>)(target + base + to_offset, step,
                                                                                       source + from_offset, positions,
                                                                                       count, run);
        },
        steps, strides);
  };
  for_each_position<clamp_to_bounds>(windows, operand, last, e.operand_types.data[1], e.operands.data[1], result, copy);
}

}  // namespace tenon::kernels
