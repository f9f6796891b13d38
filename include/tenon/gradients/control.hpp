// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/loops.hpp>
#include <tenon/gradients/value.hpp>

// Gradients of the ops that steer programs.
namespace tenon::gradients {

constexpr void pullback(const ops::optimization_barrier&, const auto& at) {
  for (int i = 0; i < at.operand_count(); ++i) at.give(i, at.ct(i));
}
constexpr void pushforward(const ops::optimization_barrier&, const auto& at) {
  for (int i = 0; i < at.operand_count(); ++i) at.set(i, at.dx(i));
}

// Copies of the branches, which yield values of these types: `write(copier, branch, copy, first, last, yields)` says
// which, behind the nodes of a copy. Gives the first result.
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
    node_copier copier(g);
    const int begin = g.nodes.size;
    copier.copy_nodes(branch, again);
    const int end = g.nodes.size;
    d.activate_nodes(again, begin, end);
    growing_list<int> yields;
    write(copier, branch, again, begin, end, yields);
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
  for (int r = 0; r < at.node.region_count; ++r) find_captured(at, region_of(at, r), captured);
  for (int value : captured.all()) before.push(d.derivative(value).id), types.push(at.g().type_of_value(value));
  const int first = write_branches(
      op, at, types, [&](node_copier& copier, int branch, int again, int begin, int end, growing_list<int>& yields) {
        for (int value : captured.all()) d.set(value, {});
        for (int k = 0; k < at.node.result_count; ++k)
          d.add_to(copier.copy_of(at.g().yields_of(at.g().regions.data[branch])[k]), at.ct(k));
        d.pull(again, begin, end);
        for (int value : captured.all()) yields.push(d.derivative_or_zeros(value).id);
      });
  for (int c = 0; c < captured.size(); ++c) d.set(captured[c], at.to().at(before[c]) + at.to().at(first + c));
}
template <class Op>
constexpr void push_branches(const Op& op, const auto& at) {
  auto& d = at.engine;
  growing_list<int> active;
  growing_list<tensor_type> types;
  for (int k = 0; k < at.node.result_count; ++k)
    if (d.is_active(at.node.results + k)) active.push(k), types.push(at.y(k).type());
  const int first = write_branches(
      op, at, types, [&](node_copier& copier, int branch, int again, int begin, int end, growing_list<int>& yields) {
        growing_list<int> wanted;
        for (int k : active.all()) wanted.push(copier.copy_of(at.g().yields_of(at.g().regions.data[branch])[k]));
        d.push(again, begin, end, wanted.all());
        for (int value : wanted.all()) yields.push(d.derivative_or_zeros(value).id);
      });
  for (int k = 0; k < active.size(); ++k) at.set(active[k], at.to().at(first + k));
}
constexpr void pullback(const ops::if_& op, const auto& at) { pull_branches(op, at); }
constexpr void pushforward(const ops::if_& op, const auto& at) { push_branches(op, at); }
constexpr void pullback(const ops::case_& op, const auto& at) { pull_branches(op, at); }
constexpr void pushforward(const ops::case_& op, const auto& at) { push_branches(op, at); }

}  // namespace tenon::gradients
