// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>

namespace tenon::ir {

// Which of a folding node's operand axes are folded, and whether they are the innermost ones: read off the map of its
// operand, in which they are ranges.
struct folded_rows {
  bool trailing = false;
  index_t rows = 0, row = 0;  // results, and elements that each is folded from
};

// The element type in which a region accumulates elements: floats narrower than f32 stop growing where a step is less
// than half their distance.
constexpr dtype accumulator_of(dtype element) {
  return is_float(element) && num_bits(element) < num_bits(dtype::f32) ? dtype::f32 : element;
}

constexpr bool is_dense_tensor(const tensor_type& type) {
  return type.is_tensor() && !type.is_quantized() && type.bounded == 0;
}

// The op that a region consists of, if it only applies an associative op to its two arguments, elements or
// accumulators.
constexpr int body_of(const graph& g, const graph_node& node) {
  if (node.region_count != 1) return -1;
  const graph_region& region = g.regions.data[g.regions_of(node)[0]];
  if (region.last - region.first != 1 || region.argument_count != 2 || region.yield_count != 1) return -1;
  const graph_node& only = g.nodes.data[region.first];
  const list<int> operands = g.operands_of(only);
  if (!tenon::ir::facts_of(only.kind).associative || operands.size != 2 || only.result_count != 1) return -1;
  if (g.yields_of(region)[0] != only.results) return -1;
  const bool in_order = operands[0] == region.arguments && operands[1] == region.arguments + 1;
  const bool swapped = operands[1] == region.arguments && operands[0] == region.arguments + 1;
  if (!in_order && !swapped) return -1;
  const tensor_type& type = g.type_of_value(region.arguments);
  const dtype element = g.type_of_value(g.operands_of(node)[0]).element;
  const bool accumulates = type.element == accumulator_of(element) && !facts_of(only.kind).gives_an_operand;
  if (type != g.type_of_value(only.results) || type.is_quantized() || type.rank() != 0) return -1;
  return accumulates || type.element == element ? only.kind : -1;
}

// Whether one associative op says all of how the node combines the elements of one tensor: its region is never run.
constexpr bool folds_by_one_op(const graph& g, const graph_node& node) {
  const op_facts facts = tenon::ir::facts_of(node.kind);
  const int operands = facts.folds || facts.folds_windows ? 2 : facts.folds_at_indices ? 3 : -1;
  return node.operand_count == operands && body_of(g, node) >= 0;
}

// How a node folds its first operand, if it does so by one associative op and nothing else.
constexpr folded_rows folded_rows_of(const graph& g, const graph_node& node) {
  folded_rows result;
  if (!tenon::ir::facts_of(node.kind).folds || node.operand_count != 2 || node.result_count != 1 ||
      body_of(g, node) < 0)
    return result;
  const list<int> operands = g.operands_of(node);
  const tensor_type types[] = {g.type_of_value(operands[0]), g.type_of_value(operands[1])};
  const tensor_type& to = g.type_of_value(node.results);
  if (!is_dense_tensor(types[0]) || !is_dense_tensor(types[1]) || !is_dense_tensor(to) || types[1].rank() != 0)
    return result;
  if (types[0].element != to.element || types[0].size() == 0) return result;
  const indexing::indexing_map map =
      tenon::ir::op_tables::reads[node.kind](g.words.data + node.words, 0, {types, 2}, to);
  if (!map.is_defined() || map.constraint_count > 0 || map.result_count != types[0].rank()) return result;
  result.trailing = true;
  result.row = 1;
  bool kept = false;
  for (int axis = map.result_count - 1; axis >= 0; --axis) {
    const index_t size = types[0].shape.at[axis];
    if (size == 1) continue;
    if (map.nodes[map.results[axis]].op != indexing::operation::range) {
      kept = true;
    } else if (kept) {
      result.trailing = false;
    } else {
      result.row *= size;
    }
  }
  result.rows = to.size();
  return result;
}

}  // namespace tenon::ir
