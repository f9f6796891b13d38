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

// Whether all elements of a constant are written as one.
constexpr bool is_splat(const graph& g, const graph_literal& literal, const tensor_type& type) {
  if (literal.where == graph_literal::place::words) return literal.size == (is_complex(type.element) ? 2 : 1);
  for (int i = literal.first; i < literal.first + literal.size; ++i) {
    const char c = g.text[std::size_t(i)];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c != '[' && c != '{' && c != '"';
  }
  return false;
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
