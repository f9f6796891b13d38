// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders/movement.hpp>

// Maps of ops that fold axes or windows.
namespace tenon::indexing {

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

}  // namespace tenon::indexing
