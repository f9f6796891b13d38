// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/linear.hpp>

// Maps of ops over a group of processes.
namespace tenon::indexing {

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

}  // namespace tenon::indexing
