// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// concatenate(x) = x, concatenate(..., x, ...) = x where no other operand has elements, and convert(x) = x to the type
// of x.
struct only_nonempty_operand : rewrite_pattern {
  static constexpr std::string_view name = "only_nonempty_operand";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return facts_of(kind).joins_operands || facts_of(kind).converts; }
  constexpr bool matches() const { return find(at.from, at.node) >= 0; }
  constexpr int rewrite() const { return at.values.data[find(at.from, at.node)]; }

  // That operand of a node; -1: there is none.
  static constexpr int find(const graph& g, const graph_node& node) {
    if (!begins_at(node.kind)) return -1;
    for (int value : g.operands_of(node))
      if (g.type_of_value(value) == g.type_of_value(node.results)) return value;
    return -1;
  }
};

}  // namespace tenon::passes
