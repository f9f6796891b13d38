// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/linear.hpp>

// Maps of ops that read where other operands say, through runtime variables.
namespace tenon::indexing {

// Runtime variables: the start index along each dimension that can start at more than one place, clamped as the
// operation does.
// @post operand index i = result index i + start index i
template <class Map = indexing_map>
constexpr Map dynamic_slice_map(const ints& result, const ints& operand) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < result.size; ++i) map.add_result(map.dimension(i) + map.add_runtime({0, operand[i] - result[i]}));
  return map;
}

// From the result to `update`, as far as the element comes from there.
// @post update index i = result index i - start index i
template <class Map = indexing_map>
constexpr Map dynamic_update_slice_map(const ints& result, const ints& update) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < result.size; ++i) map.add_result(map.dimension(i) - map.add_runtime({0, result[i] - update[i]}));
  return map;
}

struct gather_numbers {
  ints offset_dims{};
  ints collapsed_slice_dims{};
  ints operand_batching_dims{};
  ints start_indices_batching_dims{};
  ints start_index_map{};
  std::int64_t index_vector_dim = 0;
  ints slice_sizes{};
};

namespace detail {

// The dimension of the result that belongs to axis `axis` of the start indices.
constexpr int gather_batch_dimension(int result_rank, const gather_numbers& numbers, std::int64_t axis) {
  std::int64_t position = axis - (axis > numbers.index_vector_dim ? 1 : 0);
  for (int i = 0; i < result_rank; ++i)
    if (!numbers.offset_dims.contains(i) && position-- == 0) return i;
  return -1;
}

}  // namespace detail

// Runtime variable k: the start index along dimension start_index_map[k], clamped so that the slice is inside.
// @post operand index = offset within the slice + start index, or the batching index
template <class Map = indexing_map>
constexpr Map gather_operand_map(const ints& result, const ints& operand, const gather_numbers& numbers) {
  Map map = map_over<Map>(result);
  expression<Map> start[max_rank]{};
  for (int k = 0; k < numbers.start_index_map.size; ++k) {
    const std::int64_t axis = numbers.start_index_map[k];
    start[k] = map.add_runtime({0, operand[axis] - numbers.slice_sizes[axis]});
  }
  int offset = 0;
  for (int i = 0; i < operand.size; ++i) {
    expression<Map> index = map.constant(0);
    if (const int batch = numbers.operand_batching_dims.find(i); batch >= 0)
      index = map.dimension(
          detail::gather_batch_dimension(result.size, numbers, numbers.start_indices_batching_dims[batch]));
    else if (!numbers.collapsed_slice_dims.contains(i))
      index = map.dimension(numbers.offset_dims[offset++]);
    if (const int k = numbers.start_index_map.find(i); k >= 0) index = index + start[k];
    map.add_result(index);
  }
  return map;
}

// The whole index vector, which runs along index_vector_dim; `component` >= 0: only that one.
// @post start_indices index = the indices of the result that are not in offset_dims, in order
template <class Map = indexing_map>
constexpr Map gather_indices_map(const ints& result, const ints& start_indices, const gather_numbers& numbers,
                                 int component = -1) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < start_indices.size; ++i) {
    if (i != numbers.index_vector_dim)
      map.add_result(map.dimension(detail::gather_batch_dimension(result.size, numbers, i)));
    else
      map.add_result(component >= 0 ? map.constant(component) : map.add_range({0, start_indices[i] - 1}));
  }
  return map;
}

// From an element of `update` to the element of the input that it is combined with, as far as that lies within the
// input. Runtime variable k: the index along dimension start_index_map[k], which is not clamped.
// @post input index = offset within the window + index, or the batching index
template <class Map = indexing_map>
constexpr Map scatter_update_output_map(const ints& input, const ints& update, const gather_numbers& numbers) {
  Map map = map_over<Map>(update);
  expression<Map> index[max_rank]{};
  // An index may be below 0 as long as some of the window is inside.
  ints window = ints::filled(input.size, 1);
  int offset = 0;
  for (int i = 0; i < input.size; ++i)
    if (!numbers.collapsed_slice_dims.contains(i) && !numbers.operand_batching_dims.contains(i))
      window.set(i, update[numbers.offset_dims[offset++]]);
  for (int k = 0; k < numbers.start_index_map.size; ++k) {
    const std::int64_t axis = numbers.start_index_map[k];
    index[k] = map.add_runtime({1 - window[axis], input[axis] - 1});
  }
  offset = 0;
  for (int i = 0; i < input.size; ++i) {
    expression<Map> value = map.constant(0);
    if (const int batch = numbers.operand_batching_dims.find(i); batch >= 0)
      value = map.dimension(
          detail::gather_batch_dimension(update.size, numbers, numbers.start_indices_batching_dims[batch]));
    else if (!numbers.collapsed_slice_dims.contains(i))
      value = map.dimension(numbers.offset_dims[offset++]);
    if (const int k = numbers.start_index_map.find(i); k >= 0) value = value + index[k];
    if (value.id >= 0 && !interval{0, input[i] - 1}.contains(node_ranges(map).at[value.id]))
      map.add_constraint(value, {0, input[i] - 1});
    map.add_result(value);
  }
  return map;
}

// Runtime variables: the start along each dimension, then the stride.
// @post operand index i = result index i * stride i + start i
template <class Map = indexing_map>
constexpr Map real_dynamic_slice_map(const ints& result, const ints& operand) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < result.size; ++i) map.add_runtime({0, operand[i]});
  for (int i = 0; i < result.size; ++i) map.add_runtime({1, INT32_MAX});
  for (int i = 0; i < result.size; ++i) {
    const expression<Map> index = map.dimension(i) * map.runtime(result.size + i) + map.runtime(i);
    map.add_constraint(index, {0, operand[i] - 1});
    map.add_result(index);
  }
  return map;
}

// Runtime variables: the padding in front of each dimension, then the padding between elements.
// @post result index i = operand index i * (padding between + 1) + padding in front; padding is not in the domain
template <class Map = indexing_map>
constexpr Map dynamic_pad_map(const ints& result, const ints& operand) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < result.size; ++i) map.add_runtime({saturating_negate(INT32_MAX), INT32_MAX});
  for (int i = 0; i < result.size; ++i) map.add_runtime({0, INT32_MAX});
  for (int i = 0; i < result.size; ++i) {
    const expression<Map> step = map.runtime(result.size + i) + map.constant(1);
    const expression<Map> shifted = map.dimension(i) - map.runtime(i);
    map.add_constraint(mod(shifted, step), point(0));
    map.add_constraint(floordiv(shifted, step), {0, operand[i] - 1});
    map.add_result(floordiv(shifted, step));
  }
  return map;
}

// Where the value of a runtime variable stands: an element of an operand, as a map over the same dimensions and range
// variables. Without an operand it is something of the running process.
struct runtime_source {
  int operand = -1;
  indexing_map element{};
};

}  // namespace tenon::indexing
