// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/loops.hpp>
#include <tenon/gradients/value.hpp>

// Gradients of the ops that steer programs.
namespace tenon::gradients {

constexpr void pullback(const ops::optimization_barrier&, const auto& at) {
  pull_each(at, [&](int i) { return at.ct(i); });
}
constexpr void pushforward(const ops::optimization_barrier&, const auto& at) {
  push_each(at, [&](int i) { return at.dx(i); });
}

// Copies of the branches, which yield values of these types: `write(results, first, last, yields)` says which, behind
// the nodes of a copy. Gives the first result.
template <class Op>
constexpr int write_branches(const Op& op, const auto& at, const growing_list<tensor_type>& types, const auto& write) {
  auto& d = at.engine;
  builder& to = d.to;
  graph& g = to.g;
  const int outside = to.region, which = at.x(0).id;
  growing_list<int> branches;
  for (int r = 0; r < at.node.region_count; ++r) {
    const int branch = region_of(at, r), again = open_region(g, outside, {}, to.source);
    to.region = again;
    growing_list<int> made, yields;
    const int begin = g.nodes.size;
    copy_body(to, branch, from_value(0), made);
    const int end = g.nodes.size;
    d.activate_nodes(again, begin, end);
    write(made, begin, end, yields);
    close_region(g, again, yields.all());
    branches.push(again);
  }
  to.region = outside;
  const node_parts parts{{&which, 1}, branches.all(), {}, outside, to.source};
  return g.nodes.data[append_unchecked(g, op, parts, types.all())].results;
}

// Going backwards each branch computes itself again and gives the cotangents of the values that it captures.
template <class Op>
constexpr void pull_branches(const Op& op, const auto& at) {
  auto& d = at.engine;
  growing_list<int> captured, before;
  growing_list<tensor_type> types;
  for (int r = 0; r < at.node.region_count; ++r) find_captured(at, region_of(at, r), captured, node_copier(at.to().g));
  for (int value : captured.all()) before.push(d.derivative(value).id), types.push(at.g().type_of_value(value));
  const auto write = [&](growing_list<int>& made, int begin, int end, growing_list<int>& yields) {
    for (int value : captured.all()) d.set(value, {});
    for (int k = 0; k < at.node.result_count; ++k) d.add_to(made[k], at.ct(k));
    d.pull(at.to().region, begin, end);
    for (int value : captured.all()) yields.push(d.derivative_or_zeros(value).id);
  };
  const int first = write_branches(op, at, types, write);
  for (int c = 0; c < captured.size(); ++c) d.set(captured[c], at.to().at(before[c]) + at.to().at(first + c));
}
template <class Op>
constexpr void push_branches(const Op& op, const auto& at) {
  auto& d = at.engine;
  growing_list<int> active;
  growing_list<tensor_type> types;
  for (int k = 0; k < at.node.result_count; ++k)
    if (d.is_active(at.node.results + k)) active.push(k), types.push(at.y(k).type());
  const auto write = [&](growing_list<int>& made, int begin, int end, growing_list<int>& yields) {
    growing_list<int> wanted;
    for (int k : active.all()) wanted.push(made[k]);
    d.push(at.to().region, begin, end, wanted.all());
    for (int value : wanted.all()) yields.push(d.derivative_or_zeros(value).id);
  };
  const int first = write_branches(op, at, types, write);
  for (int k = 0; k < active.size(); ++k) at.set(active[k], at.to().at(first + k));
}
// A call with a rule of its own (custom.hpp).
constexpr bool has_rule(const graph_node& node) { return facts_of(node.kind).places_results && node.word_count == 1; }
enum class rule_of_call : index_t { tangents, cotangents };
constexpr rule_of_call rule_of(const auto& at) { return rule_of_call(at.g().words.data[at.node.words]); }

// The barrier that the rule begins with.
constexpr graph_node inputs_of_rule(const auto& at) {
  return at.g().nodes.data[at.g().regions.data[region_of(at, 1)].first];
}
// The values that the rule gives for these, in the places of its last `count` inputs: cotangents of the arguments, or
// tangents of the results.
constexpr void copy_rule(const auto& at, list<int> inputs, growing_list<int>& made) {
  graph& g = at.to().g;
  const graph_region rule = g.regions.data[region_of(at, 1)];
  const graph_node barrier = inputs_of_rule(at);
  node_copier copier(g);
  for (int k = 0; k < inputs.size; ++k)
    copier.replace(g.operands.data[barrier.operands + barrier.operand_count - inputs.size + k], inputs[k]);
  copier.copy_nodes(region_of(at, 1), at.to().region);
  if (rule_of(at) == rule_of_call::tangents) {
    for (int value : g.yields_of(rule)) made.push(copier.copy_of(value));
    return;
  }
  int last = rule.last - 1;
  while (g.nodes.data[last].kind != barrier.kind || g.nodes.data[last].region != barrier.region) --last;
  for (int value : g.operands_of(g.nodes.data[last])) made.push(copier.copy_of(value));
}
constexpr void pull_rule(const auto& at) {
  auto& d = at.engine;
  const graph_node barrier = inputs_of_rule(at);
  const int results = at.node.result_count;
  growing_list<int> inputs, made;
  if (rule_of(at) == rule_of_call::cotangents) {
    for (int r = 0; r < results; ++r) inputs.push(at.node.results + r);
    for (int r = 0; r < results; ++r) inputs.push(d.derivative_or_zeros(at.node.results + r).id);
    copy_rule(at, inputs.all(), made);
    for (int i = 0; i < made.size(); ++i) d.add_to(at.g().operands.data[barrier.operands + i], at.to().at(made[i]));
    return;
  }
  const int* const operands = &at.g().operands.data[barrier.operands];
  d.pull_transposed(at, {operands, barrier.operand_count / 2}, [&](list<int> tangents, int* given) {
    copy_rule(at, tangents, made);
    for (int r = 0; r < results; ++r) given[r] = made[r];
  });
}
constexpr void push_rule(const auto& at) {
  if (rule_of(at) == rule_of_call::cotangents)
    return at.refuse("grad_custom_vjp", "forwards a function with a rule for going backwards has none");
  const graph_node barrier = inputs_of_rule(at);
  growing_list<int> inputs, made;
  for (int i = 0; i < barrier.operand_count / 2; ++i)
    inputs.push(at.engine.derivative_or_zeros(at.g().operands.data[barrier.operands + i]).id);
  copy_rule(at, inputs.all(), made);
  for (int r = 0; r < at.node.result_count; ++r) at.set(r, at.to().at(made[r]));
}

template <class Op>
concept branching = std::same_as<Op, ops::if_> || std::same_as<Op, ops::case_>;
constexpr void pullback(const branching auto& op, const auto& at) {
  has_rule(at.node) ? pull_rule(at) : pull_branches(op, at);
}
constexpr void pushforward(const branching auto& op, const auto& at) {
  has_rule(at.node) ? push_rule(at) : push_branches(op, at);
}

}  // namespace tenon::gradients
