// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/map.hpp>

namespace tenon::indexing {

// The consumer first, then the producer on its results. Dimensions are those of the consumer; range variables are those
// of the producer, then those of the consumer, and so are runtime variables. What the producer asks of its dimensions
// becomes constraints, unless the bounds of the consumer grant it.
// @post evaluate(compose(c, p), d, (sp, sc)) = evaluate(p, evaluate(c, d, sc), sp), and (d, (sp, sc)) is in its domain
//       exactly if (d, sc) is in that of c and (evaluate(c, d, sc), sp) in that of p
template <class Map>
constexpr Map compose(const Map& consumer, const Map& producer) {
  if (consumer.is_unknown() || producer.is_unknown()) return unknown_map<Map>();
  if (consumer.is_undefined() || producer.is_undefined()) return Map{};
  Map composed = consumer;
  composed.result_count = 0;

  const auto insert_symbols = [&](std::int16_t& count, interval* bounds, int added, const interval* from) {
    if (count + added > Map::symbol_capacity) return composed.fail();
    if (added == 0) return;
    for (int i = count - 1; i >= 0; --i) bounds[i + added] = bounds[i];
    for (int i = 0; i < added; ++i) bounds[i] = from[i];
    count = static_cast<std::int16_t>(count + added);
  };
  insert_symbols(composed.range_count, composed.range_bounds, producer.range_count, producer.range_bounds);
  insert_symbols(composed.runtime_count, composed.runtime_bounds, producer.runtime_count, producer.runtime_bounds);

  if (consumer.is_known_empty() || producer.is_known_empty()) {
    composed.result_count = producer.result_count;
    composed.set_empty();
    return composed;
  }
  if (composed.is_unknown() || consumer.result_count != producer.dimension_count) return unknown_map<Map>();
  if (producer.symbol_count() > 0)
    for (int i = 0; i < composed.node_count; ++i) {
      node& step = composed.nodes[i];
      if (step.op == operation::range) step.value += producer.range_count;
      if (step.op == operation::runtime) step.value += producer.runtime_count;
    }

  bool bounds_granted[Map::rank_capacity]{};
  bool all_granted = true;
  for (int i = 0; i < producer.dimension_count; ++i) {
    const node& value = consumer.nodes[consumer.results[i]];
    const interval wanted = producer.dimension_bounds[i];
    bounds_granted[i] = is_variable(value.op) && wanted.contains(consumer.bounds(value.op)[value.value]);
    all_granted = all_granted && bounds_granted[i];
  }
  if (!all_granted) {
    const auto ranges = node_ranges(consumer);
    for (int i = 0; i < producer.dimension_count; ++i)
      if (!bounds_granted[i] && !producer.dimension_bounds[i].contains(ranges.at[consumer.results[i]]))
        composed.add_constraint(consumer.results[i], producer.dimension_bounds[i]);
  }

  std::int16_t moved[Map::node_capacity]{};
  for (int i = 0; i < producer.node_count; ++i) {
    const node& step = producer.nodes[i];
    if (step.op == operation::dimension)
      moved[i] = consumer.results[step.value];
    else if (is_leaf(step.op))
      moved[i] = composed.leaf(step.op, step.value);
    else
      moved[i] = composed.make(step.op, moved[step.lhs], moved[step.rhs]);
  }
  for (int i = 0; i < producer.result_count; ++i) composed.add_result(moved[producer.results[i]]);
  for (int i = 0; i < producer.constraint_count; ++i)
    composed.add_constraint(moved[producer.constraints[i].value], producer.constraints[i].bounds);
  if (composed.is_unknown()) return unknown_map<Map>();
  remove_unused_nodes(composed);
  return composed;
}

}  // namespace tenon::indexing
