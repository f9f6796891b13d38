// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/equality.hpp>
#include <tenon/indexing/simplify.hpp>
#include <tenon/indexing/variables.hpp>

#include <utility>
#include <vector>

// Maps whose runtime variables are found somewhere: what fusions are analysed with.
namespace tenon::indexing {

// Where the value of a runtime variable is: an element of what `producer` names, as a map over the dimensions and range
// variables of the map that has the variable. Where the place itself is known at run time only, it is a map over
// runtime variables of its own, too, whose values the maps to `producer` say.
template <class Map>
struct runtime_value {
  int producer = -1;
  Map element{};
};

template <class Map>
struct located_map {
  Map value{};
  std::vector<runtime_value<Map>> sources{};  // one for each runtime variable
};

namespace detail {

// The same map with further range variables in front.
template <class Map>
constexpr Map with_ranges_in_front(const Map& map, const Map& from) {
  Map producer = map_over<Map>({});
  for (int i = 0; i < map.result_count; ++i) producer.add_dimension(all_integers);
  for (int i = 0; i < from.range_count; ++i) producer.add_range(from.range_bounds[i]);
  for (int i = 0; i < map.result_count; ++i) producer.add_result(producer.dimension(i));
  return compose(map, producer);
}

// Drops a range or runtime variable that nothing uses.
template <class Map>
constexpr void drop_symbol(Map& from, operation op, int variable) {
  if (variable >= from.count(op) || used_variables(from).at(op, variable)) return;
  for (int i = variable; i + 1 < from.count(op); ++i) from.bounds(op)[i] = from.bounds(op)[i + 1];
  --(op == operation::range ? from.range_count : from.runtime_count);
  for (int i = 0; i < from.node_count; ++i)
    if (from.nodes[i].op == op && from.nodes[i].value > variable) --from.nodes[i].value;
}

}  // namespace detail

// As for maps alone; the sources of the producer first, seen from the consumer.
// @post value = compose(consumer.value, producer.value), and source k belongs to its runtime variable k
template <class Map>
constexpr located_map<Map> compose(const located_map<Map>& consumer, const located_map<Map>& producer) {
  located_map<Map> result{compose(consumer.value, producer.value), {}};
  if (!result.value.is_defined()) return result;
  for (const runtime_value<Map>& source : producer.sources)
    result.sources.push_back({source.producer, compose(consumer.value, source.element)});
  for (const runtime_value<Map>& source : consumer.sources)
    result.sources.push_back({source.producer, detail::with_ranges_in_front(source.element, producer.value)});
  return result;
}

// Simplifies the map and its sources, and drops the symbols that it does not use.
// @post relates the same elements as before
template <class Map>
constexpr void simplify_and_prune(located_map<Map>& one) {
  simplify(one.value);
  if (!one.value.is_defined()) {
    one.sources.clear();
    return;
  }
  const auto removed = remove_unused_symbols(one.value);
  std::vector<runtime_value<Map>> left;
  for (std::size_t k = 0; k < one.sources.size(); ++k)
    if (!removed.runtimes[k]) left.push_back(one.sources[k]);
  one.sources = std::move(left);
  for (runtime_value<Map>& source : one.sources) {
    simplify(source.element);
    for (int i = Map::symbol_capacity - 1; i >= 0; --i)
      if (removed.ranges[i]) detail::drop_symbol(source.element, operation::range, i);
    for (int i = source.element.runtime_count - 1; i >= 0; --i)
      detail::drop_symbol(source.element, operation::runtime, i);
  }
}

// @post equal maps, with equal sources
template <class Map>
constexpr bool operator==(const located_map<Map>& a, const located_map<Map>& b) {
  if (!(a.value == b.value) || a.sources.size() != b.sources.size()) return false;
  for (std::size_t i = 0; i < a.sources.size(); ++i)
    if (a.sources[i].producer != b.sources[i].producer || !(a.sources[i].element == b.sources[i].element)) return false;
  return true;
}

// Adds a map to a set of them.
// @post `to` holds it once
template <class Map>
constexpr void add_unique(std::vector<located_map<Map>>& to, const located_map<Map>& one) {
  for (const located_map<Map>& other : to)
    if (other == one) return;
  to.push_back(one);
}

}  // namespace tenon::indexing
