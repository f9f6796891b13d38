// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/copied_nodes.hpp>

#include <type_traits>

// Backwards through loops of unknown length that work element by element: each element of a result depends on the same
// element of what the loop reads, so that forwards one tangent for each of these has all derivatives.
namespace tenon::gradients {

// Whether the results of a loop with these numbers, which are active, have derivatives by those values alone that are
// in the same place; where all are numbers without dimensions, whatever the loop does.
constexpr bool works_by_element(const auto& at, list<int> active, list<int> captured) {
  using engine = std::remove_cvref_t<decltype(at.engine)>;
  graph& g = at.to().g;
  const ints shape = at.y(active[0]).shape();
  bool fits = true;
  const auto require = [&](int value) {
    const tensor_type type = g.type_of_value(value);
    fits = fits && is_float(type.element) && type.shape == shape;
  };
  const graph_region body = g.regions.data[region_of(at, 1)];
  engine within(g, region_of(at, 1));
  for (int i : active) require(at.node.results + i), within.activate(body.arguments + i);
  for (int value : captured) require(value), within.activate(value);
  within.activate_nodes(region_of(at, 1), body.first, body.last);
  for (int n = body.first; n < body.last && shape.size > 0; ++n) {
    const graph_node& node = g.nodes.data[n];
    bool is_active = false;
    for (int r = 0; r < node.result_count; ++r)
      if (within.is_active(node.results + r)) require(node.results + r), is_active = true;
    if (!is_active || node.region != region_of(at, 1)) continue;
    fits = fits && facts_of(node.kind).elementwise;
    for (int value : g.operands_of(node))
      if (within.is_active(value)) require(value);
  }
  return fits;
}

// The loop again, with tangents of its active results for each active value that it begins with or captures.
constexpr void pull_by_element(const auto& at) {
  using engine = std::remove_cvref_t<decltype(at.engine)>;
  engine& d = at.engine;
  builder& to = d.to;
  graph& g = to.g;
  const int carried = at.operand_count(), condition = region_of(at, 0), body = region_of(at, 1);
  growing_list<int> active, inputs, captured, start;
  for (int i = 0; i < carried; ++i) {
    start.push(at.x(i).id);
    if (!d.is_active(at.node.results + i)) continue;
    active.push(i);
    if (at.is_active(i)) inputs.push(i);
  }
  find_captured(at, body, captured, node_copier(g));
  if (!works_by_element(at, active.all(), captured.all()))
    return at.refuse("grad_while",
                     "backwards the number of iterations is known, or bounded by while_<at_most<N>>; or the loop is a "
                     "fixed_point, or works element by element");
  const int known = inputs.size(), all = known + captured.size();
  const auto input = [&](int k) { return k < known ? at.x(inputs[k]) : to.at(captured[k - known]); };
  for (int k = 0; k < all; ++k)
    for (int i : active.all()) start.push(to.number(k < known && inputs[k] == i ? 1 : 0, at.x(i).type()).id);
  const auto asks = [&](int first) { return copied_condition(to, condition, from_value(first)); };
  const int loop = write_loop(to, start.all(), asks, [&](int first, growing_list<int>& next) {
    const int begin = g.nodes.size;
    copy_body(to, body, from_value(first), next);
    const int end = g.nodes.size;
    for (int k = 0, tangent = first + carried; k < all; ++k) {
      engine forwards(g, to.region);
      forwards.to.source = to.source;
      for (int i : active.all()) forwards.activate(first + i), forwards.set(first + i, to.at(tangent++));
      if (k >= known) forwards.activate(input(k).id), forwards.set(input(k).id, like(input(k), 1));
      forwards.activate_nodes(to.region, begin, end);
      forwards.push(to.region, begin, end, next.all().part(0, carried));
      for (int i : active.all()) next.push(forwards.derivative_or_zeros(next[i]).id);
      if (forwards.refused()) d.refuse(forwards.refused());
    }
  });
  // Nothing where the cotangent is zero, such as in elements that a select does not take.
  for (int k = 0, tangent = loop + carried; k < all; ++k) {
    for (int i : active.all()) {
      const value ct = at.ct(i), product = ct * to.at(tangent++);
      if (!ct) continue;
      const value taken = where(compare(ct, comparison_direction::NE, like(ct, 0)), product);
      d.add_to(input(k).id, convert(taken, input(k).type().element));
    }
  }
}

}  // namespace tenon::gradients
