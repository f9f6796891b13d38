// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/linear.hpp>

// Maps of single operations, from shapes and attributes named as in StableHLO. `x_map` goes from an element of the
// result to the elements of an operand that it needs; `x_output_map` from an element of an operand to the elements of
// the result that it takes part in. Attributes are expected to be valid: the constraints of the operation come first. A
// map for attributes that are not is `unknown` or reads nothing outside of its own arrays.
namespace tenon::indexing {

// Every element of the result needs the one element of a scalar: initial values, padding values, start indices.
// @post no results
template <class Map = indexing_map>
constexpr Map scalar_map(const ints& result) {
  return map_over<Map>(result);
}

// A scalar takes part in every element of the result.
// @post ()[s0, s1, ...] -> (s0, s1, ...)
template <class Map = indexing_map>
constexpr Map scalar_output_map(const ints& result) {
  Map map = map_over<Map>(ints{});
  for (const std::int64_t size : result) map.add_result(map.add_range({0, size - 1}));
  return map;
}

// Every element of the result needs all elements of the operand.
// @post (d0, ...)[s0, s1, ...] -> (s0, s1, ...)
template <class Map = indexing_map>
constexpr Map whole_map(const ints& result, const ints& operand) {
  Map map = map_over<Map>(result);
  for (const std::int64_t size : operand) map.add_result(map.add_range({0, size - 1}));
  return map;
}

// @post operand index k = result index broadcast_dimensions[k], or 0 where the operand has size 1
template <class Map = indexing_map>
constexpr Map broadcast_in_dim_map(const ints& result, const ints& operand, const ints& broadcast_dimensions) {
  Map map = map_over<Map>(result);
  for (int k = 0; k < operand.size; ++k) {
    const std::int64_t axis = broadcast_dimensions[k];
    map.add_result(operand[k] == 1 && result[axis] != 1 ? map.constant(0) : map.dimension(axis));
  }
  return map;
}

// @post result index broadcast_dimensions[k] = operand index k, where the sizes agree; all other indices run freely
template <class Map = indexing_map>
constexpr Map broadcast_in_dim_output_map(const ints& result, const ints& operand, const ints& broadcast_dimensions) {
  Map map = map_over<Map>(operand);
  for (int i = 0; i < result.size; ++i) {
    const int k = broadcast_dimensions.find(i);
    map.add_result(k >= 0 && operand[k] == result[i] ? map.dimension(k) : map.add_range({0, result[i] - 1}));
  }
  return map;
}

// @post operand index permutation[i] = result index i
template <class Map = indexing_map>
constexpr Map transpose_map(const ints& result, const ints& permutation) {
  Map map = map_over<Map>(result);
  for (int k = 0; k < permutation.size; ++k) map.add_result(map.dimension(permutation.find(k)));
  return map;
}

// @post result index i = operand index permutation[i]
template <class Map = indexing_map>
constexpr Map transpose_output_map(const ints& operand, const ints& permutation) {
  Map map = map_over<Map>(operand);
  for (const std::int64_t axis : permutation) map.add_result(map.dimension(axis));
  return map;
}

// @post operand index i = result index i * strides[i] + start_indices[i]
template <class Map = indexing_map>
constexpr Map slice_map(const ints& result, const ints& start_indices, const ints& strides) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < result.size; ++i) map.add_result(map.dimension(i) * strides[i] + start_indices[i]);
  return map;
}

namespace detail {

// index = position * step + offset with a position in [0, count - 1]: narrows `variable` of the map to such indices and
// returns the position.
template <class Map>
constexpr expression<Map> position_within(Map& map, expression<Map> index, std::int64_t offset, std::int64_t step,
                                          std::int64_t count) {
  const expression<Map> shifted = index - offset;
  if (step == 1) return shifted;
  if (count > 1) map.add_constraint(mod(shifted, step), point(0));
  return floordiv(shifted, step);
}

constexpr interval strided_interval(std::int64_t offset, std::int64_t step, std::int64_t count) {
  if (count <= 0) return empty_interval;
  return {offset, saturating_add(offset, saturating_multiply(count - 1, step))};
}

// The first and the last of offset, offset + step, ... that lie within [0, size - 1].
constexpr interval strided_interval_within(std::int64_t offset, std::int64_t step, std::int64_t count,
                                           std::int64_t size) {
  interval bounds = strided_interval(offset, step, count);
  if (bounds.lower < 0) bounds.lower = modulo(offset, step);
  if (bounds.upper > size - 1) bounds.upper = align_down(size - 1, step, modulo(offset, step));
  return bounds;
}

}  // namespace detail

// @post operand index i = result index i * strides[i] + start_indices[i]; other elements of the operand are not in the
//       domain
template <class Map = indexing_map>
constexpr Map slice_output_map(const ints& result, const ints& start_indices, const ints& strides) {
  Map map = map_over<Map>(ints{});
  for (int i = 0; i < result.size; ++i)
    map.add_dimension(detail::strided_interval(start_indices[i], strides[i], result[i]));
  for (int i = 0; i < result.size; ++i)
    map.add_result(detail::position_within(map, map.dimension(i), start_indices[i], strides[i], result[i]));
  return map;
}

// @post operand index i = shape[i] - 1 - result index i for i in dimensions; also from the operand to the result
template <class Map = indexing_map>
constexpr Map reverse_map(const ints& shape, const ints& dimensions) {
  Map map = map_over<Map>(shape);
  for (int i = 0; i < shape.size; ++i)
    map.add_result(dimensions.contains(i) ? -map.dimension(i) + (shape[i] - 1) : map.dimension(i));
  return map;
}

// @post result index i = operand index i * (interior_padding[i] + 1) + edge_padding_low[i]; padding is not in the
// domain
template <class Map = indexing_map>
constexpr Map pad_map(const ints& result, const ints& operand, const ints& edge_padding_low,
                      const ints& interior_padding) {
  Map map = map_over<Map>(ints{});
  for (int i = 0; i < result.size; ++i)
    map.add_dimension(
        detail::strided_interval_within(edge_padding_low[i], interior_padding[i] + 1, operand[i], result[i]));
  for (int i = 0; i < result.size; ++i)
    map.add_result(
        detail::position_within(map, map.dimension(i), edge_padding_low[i], interior_padding[i] + 1, operand[i]));
  return map;
}

// @post the same, from the operand; elements that negative padding cuts off are not in the domain
template <class Map = indexing_map>
constexpr Map pad_output_map(const ints& result, const ints& operand, const ints& edge_padding_low,
                             const ints& interior_padding) {
  Map map = map_over<Map>(operand);
  for (int i = 0; i < operand.size; ++i) {
    const expression<Map> index = map.dimension(i) * (interior_padding[i] + 1) + edge_padding_low[i];
    const interval within =
        detail::quotient_bounds({-edge_padding_low[i], result[i] - 1 - edge_padding_low[i]}, interior_padding[i] + 1);
    map.add_constraint(map.dimension(i), within);
    map.add_result(index);
  }
  return map;
}

// One operand of concatenate: it begins at `offset` along `dimension` and has `size` elements there.
// @post operand index = result index, less `offset` along `dimension`; other pieces of the result are not in the domain
template <class Map = indexing_map>
constexpr Map concatenate_map(const ints& result, std::int64_t dimension, std::int64_t offset, std::int64_t size) {
  Map map = map_over<Map>(ints{});
  for (int i = 0; i < result.size; ++i)
    map.add_dimension(i == dimension ? interval{offset, offset + size - 1} : interval{0, result[i] - 1});
  for (int i = 0; i < result.size; ++i) map.add_result(i == dimension ? map.dimension(i) - offset : map.dimension(i));
  return map;
}

// @post result index = operand index, plus `offset` along `dimension`
template <class Map = indexing_map>
constexpr Map concatenate_output_map(const ints& operand, std::int64_t dimension, std::int64_t offset) {
  Map map = map_over<Map>(operand);
  for (int i = 0; i < operand.size; ++i) map.add_result(i == dimension ? map.dimension(i) + offset : map.dimension(i));
  return map;
}

// Element at the same row-major position. The shapes are cut where their sizes agree, so that only those dimensions
// meet in an expression that must. From the operand to the result: reshape_map(operand, result).
// @post offset_of(operand, evaluate(reshape_map(result, operand), d)) = offset_of(result, d)
template <class Map = indexing_map>
constexpr Map reshape_map(const ints& result, const ints& operand) {
  if (result.product() != operand.product() || result.product() == INT64_MAX) return unknown_map<Map>();
  Map map = map_over<Map>(result);
  if (map.is_known_empty()) {
    map.result_count = static_cast<std::int16_t>(operand.size);
    return map;
  }
  int from = 0;
  int to = 0;
  bool crossing = false;
  while (from < result.size || to < operand.size) {
    const int from_begin = from;
    const int to_begin = to;
    std::int64_t from_size = from < result.size ? result[from++] : 1;
    std::int64_t to_size = to < operand.size ? operand[to++] : 1;
    while (from_size != to_size) {
      if (from_size < to_size && from < result.size)
        from_size *= result[from++];
      else if (to < operand.size)
        to_size *= operand[to++];
      else
        from_size *= result[from++];
    }
    expression<Map> index[max_rank]{};
    for (int i = from_begin; i < from; ++i) index[i - from_begin] = map.dimension(i);
    const auto sizes = [](const ints& shape, int begin, int end) {
      return std::span<const std::int64_t>(shape.at + begin, static_cast<std::size_t>(end - begin));
    };
    const std::span<const expression<Map>> group(index, static_cast<std::size_t>(from - from_begin));
    const expression<Map> offset = linearize(map, group, sizes(result, from_begin, from));
    delinearize(map, offset, sizes(operand, to_begin, to));
    crossing = crossing || (from - from_begin > 1 && to - to_begin > 1);
  }
  if (crossing) simplify(map);
  return map;
}

// Bitcast between arrays that are laid out with the listed dimensions from major to minor.
// @post the position of the operand element in memory = the position of the result element
template <class Map = indexing_map>
constexpr Map bitcast_map(const ints& result, const ints& result_major_to_minor, const ints& operand,
                          const ints& operand_major_to_minor) {
  const ints result_memory = result.select(result_major_to_minor);
  const ints operand_memory = operand.select(operand_major_to_minor);
  const Map in_memory = compose(transpose_output_map<Map>(result, result_major_to_minor),
                                reshape_map<Map>(result_memory, operand_memory));
  Map map = compose(in_memory, transpose_map<Map>(operand_memory, operand_major_to_minor));
  simplify(map);
  return map;
}

// @post operand indices at `dimensions` run freely, the others are the result indices in order
template <class Map = indexing_map>
constexpr Map reduce_map(const ints& result, const ints& operand, const ints& dimensions) {
  Map map = map_over<Map>(result);
  int kept = 0;
  for (int i = 0; i < operand.size; ++i)
    map.add_result(dimensions.contains(i) ? map.add_range({0, operand[i] - 1}) : map.dimension(kept++));
  return map;
}

// @post result indices = operand indices that are not in `dimensions`
template <class Map = indexing_map>
constexpr Map reduce_output_map(const ints& operand, const ints& dimensions) {
  Map map = map_over<Map>(operand);
  for (int i = 0; i < operand.size; ++i)
    if (!dimensions.contains(i)) map.add_result(map.dimension(i));
  return map;
}

namespace detail {

// The index of the element under position `inside` of a window, in an operand axis of `size` elements that stand
// `base_dilation` apart behind `padding_low` free places: constraints keep padding and holes out of the domain.
template <class Map>
constexpr void add_window_result(Map& map, expression<Map> index, std::int64_t padding_low, std::int64_t base_dilation,
                                 std::int64_t size) {
  const expression<Map> shifted = index - padding_low;
  const interval inside = strided_interval(0, base_dilation, size);
  if (!inside.contains(node_ranges(map).at[shifted.id < 0 ? 0 : shifted.id])) map.add_constraint(shifted, inside);
  if (base_dilation != 1) map.add_constraint(mod(shifted, base_dilation), point(0));
  map.add_result(floordiv(shifted, base_dilation));
}

}  // namespace detail

// @post operand index i * base_dilations[i] + padding_low[i] = result index i * window_strides[i] + place in the window
// *
//       window_dilations[i]; places over padding and holes are not in the domain
template <class Map = indexing_map>
constexpr Map reduce_window_map(const ints& result, const ints& operand, const ints& window_dimensions,
                                const ints& window_strides, const ints& base_dilations, const ints& window_dilations,
                                const ints& padding_low) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < operand.size; ++i) {
    expression<Map> index = map.dimension(i) * window_strides[i];
    if (window_dimensions[i] != 1) index = index + map.add_range({0, window_dimensions[i] - 1}) * window_dilations[i];
    detail::add_window_result(map, index, padding_low[i], base_dilations[i], operand[i]);
  }
  return map;
}

namespace detail {

template <class Map>
constexpr Map dot_general_operand_map(const ints& result, const ints& operand, const ints& batching_dimensions,
                                      const ints& contracting_dimensions, int first_free) {
  Map map = map_over<Map>(result);
  expression<Map> index[max_rank]{};
  for (const std::int64_t axis : contracting_dimensions)
    if (0 <= axis && axis < operand.size) index[axis] = map.add_range({0, operand[axis] - 1});
  for (int i = 0; i < operand.size; ++i) {
    const int batch = batching_dimensions.find(i);
    if (contracting_dimensions.contains(i))
      map.add_result(index[i]);
    else
      map.add_result(map.dimension(batch >= 0 ? batch : first_free++));
  }
  return map;
}

template <class Map>
constexpr Map dot_general_operand_output_map(const ints& result, const ints& operand, const ints& batching_dimensions,
                                             const ints& contracting_dimensions, int first_free) {
  Map map = map_over<Map>(operand);
  int free = 0;
  for (int i = 0; i < result.size; ++i) {
    if (i < batching_dimensions.size) {
      map.add_result(map.dimension(batching_dimensions[i]));
    } else if (i < first_free ||
               i >= first_free + operand.size - batching_dimensions.size - contracting_dimensions.size) {
      map.add_result(map.add_range({0, result[i] - 1}));
    } else {
      while (batching_dimensions.contains(free) || contracting_dimensions.contains(free)) ++free;
      map.add_result(map.dimension(free++));
    }
  }
  return map;
}

}  // namespace detail

// The result has the batching dimensions, then the free ones of lhs, then the free ones of rhs; contracting dimensions
// run freely, in the order in which they are listed.
// @post the elements of lhs, or of rhs, whose products make up the element of the result: at equal symbols, one pair
template <class Map = indexing_map>
constexpr Map dot_general_lhs_map(const ints& result, const ints& lhs, const ints& lhs_batching_dimensions,
                                  const ints& lhs_contracting_dimensions) {
  return detail::dot_general_operand_map<Map>(result, lhs, lhs_batching_dimensions, lhs_contracting_dimensions,
                                              lhs_batching_dimensions.size);
}
// @post as above, for rhs
template <class Map = indexing_map>
constexpr Map dot_general_rhs_map(const ints& result, const ints& rhs, const ints& rhs_batching_dimensions,
                                  const ints& rhs_contracting_dimensions) {
  const int free = rhs.size - rhs_batching_dimensions.size - rhs_contracting_dimensions.size;
  return detail::dot_general_operand_map<Map>(result, rhs, rhs_batching_dimensions, rhs_contracting_dimensions,
                                              result.size - free);
}
// @post the elements of the result that an element of lhs takes part in: the inverse of dot_general_lhs_map
template <class Map = indexing_map>
constexpr Map dot_general_lhs_output_map(const ints& result, const ints& lhs, const ints& lhs_batching_dimensions,
                                         const ints& lhs_contracting_dimensions) {
  return detail::dot_general_operand_output_map<Map>(result, lhs, lhs_batching_dimensions, lhs_contracting_dimensions,
                                                     lhs_batching_dimensions.size);
}
// @post the inverse of dot_general_rhs_map
template <class Map = indexing_map>
constexpr Map dot_general_rhs_output_map(const ints& result, const ints& rhs, const ints& rhs_batching_dimensions,
                                         const ints& rhs_contracting_dimensions) {
  const int free = rhs.size - rhs_batching_dimensions.size - rhs_contracting_dimensions.size;
  return detail::dot_general_operand_output_map<Map>(result, rhs, rhs_batching_dimensions, rhs_contracting_dimensions,
                                                     result.size - free);
}

// Attributes of a convolution that say which elements meet.
struct convolution_numbers {
  ints window_strides{};
  ints padding_low{};
  ints lhs_dilation{};
  ints rhs_dilation{};
  ints reversed_windows{};  // 1 where the window is reversed
  std::int64_t input_batch_dimension = 0;
  std::int64_t input_feature_dimension = 0;
  ints input_spatial_dimensions{};
  std::int64_t kernel_input_feature_dimension = 0;
  std::int64_t kernel_output_feature_dimension = 0;
  ints kernel_spatial_dimensions{};
  std::int64_t output_batch_dimension = 0;
  std::int64_t output_feature_dimension = 0;
  ints output_spatial_dimensions{};
  std::int64_t feature_group_count = 1;
  std::int64_t batch_group_count = 1;
  bool padding_at_run_time = false;  // one runtime variable for each spatial dimension stands for padding_low
};

// Range variables: the place in the window along each spatial dimension, then the input feature within its group; those
// with one value are left out.
// @post the elements of lhs whose products with those of convolution_rhs_map make up the element of the result: at
// equal
//       symbols, one pair; places over padding and holes are not in the domain
template <class Map = indexing_map>
constexpr Map convolution_lhs_map(const ints& result, const ints& lhs, const ints& rhs,
                                  const convolution_numbers& numbers) {
  Map map = map_over<Map>(result);
  const int spatial = numbers.input_spatial_dimensions.size;
  for (int i = 0; numbers.padding_at_run_time && i < spatial; ++i)
    map.add_runtime({saturating_negate(INT32_MAX), INT32_MAX});
  expression<Map> place[max_rank]{};
  for (int i = 0; i < spatial; ++i) {
    const std::int64_t size = rhs[numbers.kernel_spatial_dimensions[i]];
    place[i] = size == 1 ? map.constant(0) : map.add_range({0, size - 1});
  }
  const std::int64_t group_features = rhs[numbers.kernel_input_feature_dimension];
  const expression<Map> feature = group_features == 1 ? map.constant(0) : map.add_range({0, group_features - 1});
  const std::int64_t output_features = rhs[numbers.kernel_output_feature_dimension];
  const expression<Map> output_feature = map.dimension(numbers.output_feature_dimension);
  for (int i = 0; i < lhs.size; ++i) {
    if (i == numbers.input_batch_dimension) {
      expression<Map> batch = map.dimension(numbers.output_batch_dimension);
      if (numbers.batch_group_count > 1)
        batch = batch + floordiv(output_feature, output_features / numbers.batch_group_count) *
                            (lhs[i] / numbers.batch_group_count);
      map.add_result(batch);
    } else if (i == numbers.input_feature_dimension) {
      expression<Map> index = feature;
      if (numbers.feature_group_count > 1)
        index = floordiv(output_feature, output_features / numbers.feature_group_count) * group_features + index;
      map.add_result(index);
    } else {
      const int axis = numbers.input_spatial_dimensions.find(i);
      expression<Map> outer = map.dimension(numbers.output_spatial_dimensions[axis]) * numbers.window_strides[axis];
      if (numbers.padding_at_run_time) outer = outer - map.runtime(axis);
      detail::add_window_result(map, outer + place[axis < 0 ? 0 : axis] * numbers.rhs_dilation[axis],
                                numbers.padding_low[axis], numbers.lhs_dilation[axis], lhs[i]);
    }
  }
  return map;
}

// The same range variables.
// @post as above, for rhs
template <class Map = indexing_map>
constexpr Map convolution_rhs_map(const ints& result, const ints& rhs, const convolution_numbers& numbers) {
  Map map = map_over<Map>(result);
  expression<Map> index[max_rank]{};
  for (int i = 0; i < numbers.kernel_spatial_dimensions.size; ++i) {
    const std::int64_t axis = numbers.kernel_spatial_dimensions[i];
    const std::int64_t size = rhs[axis];
    const expression<Map> place = size == 1 ? map.constant(0) : map.add_range({0, size - 1});
    index[axis % max_rank] = numbers.reversed_windows[i] != 0 ? -place + (size - 1) : place;
  }
  const std::int64_t group_features = rhs[numbers.kernel_input_feature_dimension];
  index[numbers.kernel_input_feature_dimension % max_rank] =
      group_features == 1 ? map.constant(0) : map.add_range({0, group_features - 1});
  index[numbers.kernel_output_feature_dimension % max_rank] = map.dimension(numbers.output_feature_dimension);
  for (int i = 0; i < rhs.size; ++i) map.add_result(index[i]);
  return map;
}

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

// Operands of the result's rank whose axes `free` are read as a whole: lines that are sorted or transformed, matrices.
// @post operand indices at `free` run freely, the others are the result indices at the same places
template <class Map = indexing_map>
constexpr Map whole_axes_map(const ints& result, const ints& operand, const ints& free) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < operand.size; ++i)
    map.add_result(free.contains(i) ? map.add_range({0, operand[i] - 1}) : map.dimension(i));
  return map;
}

// A vector with one element for each index along an axis of the result.
// @post (d0, d1, ...) -> (d<axis>)
template <class Map = indexing_map>
constexpr Map axis_map(const ints& result, std::int64_t axis) {
  Map map = map_over<Map>(result);
  map.add_result(map.dimension(axis));
  return map;
}

// Elements that become several narrower ones along a new last dimension, or the other way round.
// @post the operand's element, or elements, that hold the bits of the result's
template <class Map = indexing_map>
constexpr Map bitcast_convert_map(const ints& result, const ints& operand) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < operand.size; ++i)
    map.add_result(i < result.size ? map.dimension(i) : map.add_range({0, operand[i] - 1}));
  return map;
}

// No element of the operand has a part in the value: only its type has.
// @post known to be empty
template <class Map = indexing_map>
constexpr Map nothing_map(const ints& result, const ints& operand) {
  Map map = map_over<Map>(result);
  map.result_count = static_cast<std::int16_t>(operand.size);
  map.set_empty();
  return map;
}

// Each process of a group has the operand of one part of the result.
// @post operand index = result index, modulo the operand's size along `dimension`
template <class Map = indexing_map>
constexpr Map all_gather_map(const ints& result, const ints& operand, std::int64_t dimension) {
  Map map = map_over<Map>(result);
  for (int i = 0; i < result.size; ++i)
    map.add_result(i == dimension ? mod(map.dimension(i), operand[i]) : map.dimension(i));
  return map;
}
// @post the position in the group of the process that has it
template <class Map = indexing_map>
constexpr Map all_gather_replica_map(const ints& result, const ints& operand, std::int64_t dimension) {
  Map map = map_over<Map>(result);
  map.add_result(floordiv(map.dimension(dimension), operand[dimension]));
  return map;
}

// Each process has one part of what is combined. Runtime variable: its position in the group.
// @post operand index = result index, plus position * size of the result along `dimension`
template <class Map = indexing_map>
constexpr Map reduce_scatter_map(const ints& result, const ints& operand, std::int64_t dimension) {
  Map map = map_over<Map>(result);
  const std::int64_t parts = floor_divide(operand[dimension], result[dimension]);
  const expression<Map> position = map.add_runtime({0, parts > 0 ? parts - 1 : 0});
  for (int i = 0; i < result.size; ++i)
    map.add_result(i == dimension ? map.dimension(i) + position * result[i] : map.dimension(i));
  return map;
}

// Part p of the result along the dimension of concatenation comes from process p; of its operand, the part along the
// dimension of the split that belongs to the reading process. Runtime variable: its position in the group.
// @post operand index = result index, within its part, plus position * size of a part of the operand
template <class Map = indexing_map>
constexpr Map all_to_all_map(const ints& result, const ints& operand, std::int64_t split_dimension,
                             std::int64_t concat_dimension, std::int64_t split_count) {
  if (split_count <= 0) return unknown_map<Map>();
  Map map = map_over<Map>(result);
  const expression<Map> position = map.add_runtime({0, split_count - 1});
  for (int i = 0; i < result.size; ++i) {
    expression<Map> index = map.dimension(i);
    if (i == concat_dimension) index = mod(index, result[i] / split_count);
    if (i == split_dimension) index = index + position * (operand[i] / split_count);
    map.add_result(index);
  }
  return map;
}
// @post the position in the group of the process that has it
template <class Map = indexing_map>
constexpr Map all_to_all_replica_map(const ints& result, std::int64_t concat_dimension, std::int64_t split_count) {
  if (split_count <= 0) return unknown_map<Map>();
  Map map = map_over<Map>(result);
  map.add_result(floordiv(map.dimension(concat_dimension), result[concat_dimension] / split_count));
  return map;
}

// Every result needs the operands of all processes of a group; how many there are, if that is known.
// @post (d0, ...)[s0] -> (s0)
template <class Map = indexing_map>
constexpr Map all_replicas_map(const ints& result, std::int64_t processes) {
  if (processes <= 0) return unknown_map<Map>();
  Map map = map_over<Map>(result);
  map.add_result(map.add_range({0, processes - 1}));
  return map;
}
// Every result needs the operand of one process, which is known when the program runs.
// @post (d0, ...){rt0} -> (rt0)
template <class Map = indexing_map>
constexpr Map one_replica_map(const ints& result) {
  Map map = map_over<Map>(result);
  map.add_result(map.add_runtime({0, INT32_MAX}));
  return map;
}

// Where the value of a runtime variable stands: an element of an operand, as a map over the same dimensions and range
// variables. Without an operand it is something of the running process.
struct runtime_source {
  int operand = -1;
  indexing_map element{};
};

}  // namespace tenon::indexing

// Ops name them without a prefix.
namespace tenon {

using indexing::broadcast_in_dim_map;
using indexing::concatenate_map;
using indexing::convolution_lhs_map;
using indexing::convolution_numbers;
using indexing::convolution_rhs_map;
using indexing::dot_general_lhs_map;
using indexing::dot_general_rhs_map;
using indexing::dynamic_slice_map;
using indexing::dynamic_update_slice_map;
using indexing::gather_indices_map;
using indexing::gather_numbers;
using indexing::gather_operand_map;
using indexing::identity_map;
using indexing::indexing_map;
using indexing::pad_map;
using indexing::reduce_map;
using indexing::reduce_window_map;
using indexing::reshape_map;
using indexing::reverse_map;
using indexing::scalar_map;
using indexing::slice_map;
using indexing::transpose_map;
using indexing::unknown_map;
using indexing::whole_map;

}  // namespace tenon
