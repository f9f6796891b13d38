// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/value.hpp>
#include <tenon/graph/ir/facts.hpp>

namespace tenon::gradients {

template <class Op>
constexpr bool is(const graph_node& node) {
  return same_text(name_of_kind(node.kind), Op::name);
}

inline constexpr auto every_node = [](const graph_node&) { return true; };

// Copies of nodes, which read copies of values where there are some, and else the values themselves.
class node_copier {
 public:
  constexpr explicit node_copier(graph& g) : g_(g) {}

  constexpr void replace(int value, int by) { copies_.set(value, by); }
  constexpr int copy_of(int value) const { return copies_[value] >= 0 ? copies_[value] : value; }
  constexpr bool has_copied(const graph_node& node) const {
    return node.result_count > 0 && copy_of(node.results) != node.results;
  }

  // The nodes of a region that `is_copied`, to the end of another one.
  template <class Which = decltype(every_node)>
  constexpr void copy_nodes(int region, int target, const Which& is_copied = every_node) {
    const graph_region from = g_.regions.data[region];
    for (int n = from.first; n < from.last && !g_.overflow(); ++n) {
      graph_node copy = g_.nodes.data[n];
      if (copy.region != region || !is_copied(copy)) continue;
      numbered<int> inner(-1);
      for (int r = 0; r < copy.region_count; ++r)
        inner.set(r, copy_region(g_.region_references.data[copy.regions + r], target));
      const int operands = g_.operands.size, regions = g_.region_references.size, results = g_.values.size;
      for (int i = 0; i < copy.operand_count; ++i) g_.operands.push(copy_of(g_.operands.data[copy.operands + i]));
      for (int r = 0; r < copy.region_count; ++r) g_.region_references.push(inner[r]);
      for (int r = 0; r < copy.result_count; ++r) {
        replace(copy.results + r, g_.values.size);
        g_.values.push({g_.values.data[copy.results + r].type, g_.nodes.size, r, target});
      }
      copy.operands = operands, copy.regions = regions, copy.results = results, copy.region = target;
      g_.nodes.push(copy);
    }
  }
  constexpr int copy_region(int region, int parent) {
    const graph_region from = g_.regions.data[region];
    const int target = g_.regions.push(begin_region(g_, parent, from.source, from.argument_count));
    for (int a = 0; a < from.argument_count; ++a) {
      replace(from.arguments + a, g_.values.size);
      g_.values.push({g_.values.data[from.arguments + a].type, -1, a, target});
    }
    copy_nodes(region, target);
    close(region, target);
    return target;
  }
  // Ends a region with what the other one yields.
  constexpr void close(int region, int target) {
    const graph_region from = g_.regions.data[region];
    graph_region& closed = g_.regions.data[target];
    closed.last = g_.nodes.size, closed.yields = g_.operands.size, closed.yield_count = from.yield_count;
    for (int i = 0; i < from.yield_count; ++i) g_.operands.push(copy_of(g_.operands.data[from.yields + i]));
  }

 private:
  graph& g_;
  numbered<int> copies_{-1};
};

// Marks the values that lead to marked ones, among nodes of a region and all nodes within it.
constexpr void mark_live(const graph& g, int region, int first, int last, numbered<bool>& live) {
  for (int n = last; n-- > first;) {
    const graph_node& node = g.nodes.data[n];
    bool is_live = node.region != region;
    for (int r = 0; r < node.result_count; ++r) is_live = is_live || live[node.results + r];
    if (!is_live) continue;
    for (int value : g.operands_of(node)) live.set(value, true);
    for (int inner : g.regions_of(node))
      for (int value : g.yields_of(g.regions.data[inner])) live.set(value, true);
  }
}

// The results of a region, written to the builder's region with argument_of(k) in place of argument k.
constexpr void copy_body(builder& to, int region, const auto& argument_of, growing_list<int>& made) {
  const graph_region body = to.g.regions.data[region];
  node_copier copier(to.g);
  for (int k = 0; k < body.argument_count; ++k) copier.replace(body.arguments + k, argument_of(k));
  copier.copy_nodes(region, to.region);
  for (int k = 0; k < body.yield_count; ++k) made.push(copier.copy_of(to.g.operands.data[body.yields + k]));
}
constexpr value copied_condition(builder& to, int region, const auto& argument_of) {
  growing_list<int> made;
  copy_body(to, region, argument_of, made);
  return to.at(made[0]);
}
constexpr auto from_value(int first) {
  return [first](int k) { return first + k; };
}

// A loop that carries values that begin as these: `asks(first)` gives whether it goes on, `step(first, next)` writes an
// iteration, both from the values that begin with that one. Gives the first result.
template <class Asks, class Step>
constexpr int write_loop(builder& to, list<int> start, const Asks& asks, const Step& step) {
  graph& g = to.g;
  growing_list<tensor_type> types;
  for (int value : start) types.push(g.type_of_value(value));
  const int outside = to.region, condition = open_region(g, outside, types.all(), to.source);
  to.region = condition;
  const int goes_on = asks(g.regions.data[condition].arguments).id;
  close_region(g, condition, {&goes_on, 1});
  const int iteration = open_region(g, outside, types.all(), to.source);
  growing_list<int> next;
  to.region = iteration;
  step(g.regions.data[iteration].arguments, next);
  close_region(g, iteration, next.all());
  to.region = outside;
  return to.emit_with_regions(ops::while_{}, start, {condition, iteration}, types.all());
}
// A loop that counts its iterations, at most `most`, in front of the values; `also(count)` says what else holds as long
// as it goes on. Gives the first result behind the count.
template <class Also, class Step>
constexpr int write_counted_loop(builder& to, list<int> start, index_t most, const Also& also, const Step& step) {
  growing_list<int> all;
  all.push(to.zeros(type_of(dtype::i32)).id);
  for (int value : start) all.push(value);
  const auto asks = [&](int count) {
    const value counts = less(to.at(count), to.integers(most, type_of(dtype::i32))), more = also(count);
    return more ? both(counts, more) : counts;
  };
  const auto counting_step = [&](int count, growing_list<int>& next) {
    next.push((to.at(count) + 1).id);
    step(count, next);
  };
  return write_loop(to, all.all(), asks, counting_step) + 1;
}
inline constexpr auto nothing_else = [](int) { return value{}; };

// Calls f for what nodes of a region read, from there or from outside, and for what it yields but its own arguments.
template <class Which = decltype(every_node)>
constexpr void for_each_read(const graph& g, int region, const auto& f, const Which& reads = every_node) {
  const graph_region from = g.regions.data[region];
  for (int n = from.first; n < from.last; ++n) {
    if (!reads(g.nodes.data[n])) continue;
    for (int value : g.operands_of(g.nodes.data[n])) f(value);
    for (int inner : g.regions_of(g.nodes.data[n]))
      for (int value : g.yields_of(g.regions.data[inner])) f(value);
  }
  for (int k = 0; k < from.yield_count; ++k)
    if (const int value = g.yields_of(from)[k]; k >= from.argument_count || value != from.arguments + k) f(value);
}

// Where an op has a result for each operand: f(i) gives its cotangent, or the result's tangent.
constexpr void pull_each(const auto& at, const auto& f) {
  for (int i = 0; i < at.node.result_count; ++i)
    if (at.is_active(i) && at.ct(i)) at.give(i, f(i));
}
constexpr void push_each(const auto& at, const auto& f) {
  for (int i = 0; i < at.node.result_count; ++i)
    if (at.dx(i)) at.set(i, f(i));
}

// Of the node that a rule sees.
constexpr int region_of(const auto& at, int i = 0) { return at.g().regions_of(at.node)[i]; }

}  // namespace tenon::gradients
