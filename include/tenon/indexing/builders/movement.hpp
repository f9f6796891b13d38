// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/linear.hpp>

// Maps of ops that read one element or whole axes.
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

}  // namespace tenon::indexing
