// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>

namespace tenon {

constexpr bool is_constant(const graph_node& node) { return facts_of(node.kind).is_constant; }

// The constant that gives this value, or null.
constexpr const graph_node* constant_of(const graph& g, int value) {
  const int n = g.values.data[value].node;
  return n >= 0 && is_constant(g.nodes.data[n]) ? &g.nodes.data[n] : nullptr;
}

// The value of which this one is a view: root_of(reshape(x)) = root_of(x), and x for whatever else gives x.
constexpr int root_of(const graph& g, int value) {
  while (true) {
    const graph_value& seen = g.values.data[value];
    if (seen.node < 0 || !facts_of(g.nodes.data[seen.node].kind).is_view) return value;
    value = g.operands_of(g.nodes.data[seen.node])[seen.index];
  }
}

}  // namespace tenon
