// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/views.hpp>

namespace tenon::passes {

// Folds, windows, scatters and the like whose regions round: they take elements as accumulators, and round results
// once. A region of an op that gives one of its operands stays as it is.
struct wide_folds {
  const graph& g;

  constexpr bool converts(const graph_node& node) const { return is_wide(node) || is_wide_region(node.region); }
  constexpr tensor_type of_value(int value) const {
    return is_narrow(value) && is_wide_region(g.values.data[value].region) ? widened(value) : g.type_of_value(value);
  }
  // Of a node that `converts`.
  constexpr tensor_type of_node(const graph_node& node, int value) const {
    const bool stays = is_constant(node) || (reads_narrow(node) && value == g.operands_of(node)[0]);
    return is_narrow(value) && !stays ? widened(value) : g.type_of_value(value);
  }

  // Whether the node accumulates narrow floats, by a region that works element by element.
  constexpr bool is_wide(const graph_node& node) const {
    const op_facts& facts = facts_of(node.kind);
    if (!facts.accumulates) return false;
    bool narrow = false, rounds = node.region_count == 0;
    for (int value : g.operands_of(node)) narrow = narrow || of_node(node, value) != g.type_of_value(value);
    for (int region : g.regions_of(node))
      if (!narrow || !is_elementwise(region, facts.scans, rounds)) return false;
    return narrow && rounds;
  }
  constexpr bool has_any() const {
    for (const graph_node& node : g.nodes)
      if (is_wide(node)) return true;
    return false;
  }

 private:
  static constexpr int most_nodes_ = 64;

  // Whether the kernel converts elements as it loads them. Rows are folded where they are computed.
  constexpr bool reads_narrow(const graph_node& node) const {
    const op_facts& facts = facts_of(node.kind);
    return (facts.folds_windows || (facts.folds && !folded_rows_of(g, node).trailing)) && folds_by_one_op(g, node);
  }

  constexpr bool is_narrow(int value) const {
    const tensor_type& type = g.type_of_value(value);
    return type.is_tensor() && !type.is_quantized() && accumulator_of(type.element) != type.element;
  }
  constexpr tensor_type widened(int value) const {
    const tensor_type& type = g.type_of_value(value);
    return type.with_element(accumulator_of(type.element));
  }

  // Whether this is a region of a node that is wide, which is the next one that has it.
  constexpr bool is_wide_region(int region) const {
    const graph_region& inside = g.regions.data[region];
    if (inside.parent < 0 || inside.last - inside.first > most_nodes_) return false;
    for (int n = inside.last; n < g.nodes.size; ++n)
      for (int owned : g.regions_of(g.nodes.data[n]))
        if (owned == region) return is_wide(g.nodes.data[n]);
    return false;
  }
  // Whether the ops of a region work element by element. `rounds`: some of them round what they give. `associative`:
  // others than associative ones are not taken.
  constexpr bool is_elementwise(int region, bool associative, bool& rounds) const {
    const graph_region& inside = g.regions.data[region];
    if (inside.last - inside.first > most_nodes_) return false;
    for (int n = inside.first; n < inside.last; ++n) {
      const graph_node& node = g.nodes.data[n];
      if (node.region != region) continue;
      const op_facts& facts = facts_of(node.kind);
      if (node.result_count != 1 || node.region_count != 0) return false;
      const tensor_type& type = g.type_of_value(node.results);
      if (!type.is_tensor() || type.is_quantized()) return false;
      if (facts.elementwise) {
        const bool gives_new = is_float(type.element) && !facts.converts && !facts.gives_an_operand;
        if (gives_new && associative && !facts.associative) return false;
        rounds = rounds || gives_new;
      } else if (!is_constant(node) &&
                 !(facts.moves && g.type_of_value(g.operands_of(node)[0]).element == type.element)) {
        return false;
      }
    }
    for (int value : g.yields_of(inside))
      if (g.values.data[value].region != region) return false;
    return true;
  }
};

}  // namespace tenon::passes
