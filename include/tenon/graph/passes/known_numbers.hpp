// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/passes/node_writer.hpp>
#include <tenon/graph/plan/known_walks.hpp>

// Constant folding: a whole number, or a truth value, that is computed of constants becomes a constant.
namespace tenon::passes {

// Whether a node may give one number that the program says, by few operands; how much larger that makes the program.
inline constexpr int most_known_operands = 3;
constexpr bool may_be_known_number(const graph& g, const graph_node& node) {
  const op_facts& facts = facts_of(node.kind);
  if (!facts.elementwise || node.result_count != 1 || node.operand_count == 0 || node.region_count > 0) return false;
  const tensor_type& type = g.type_of_value(node.results);
  if (node.operand_count > most_known_operands || type.rank() != 0 || type.is_quantized()) return false;
  if (!is_boolean(type.element) && !is_integer(type.element)) return false;
  for (int value : g.operands_of(node))
    if (g.type_of_value(value).rank() != 0) return false;
  return true;
}
inline constexpr graph_sizes of_known_number{.nodes = 1, .values = 1, .words = 2, .literals = 1};

// The value that stands for that of the node, whose operands are these values of the target; -1: one of them is no
// constant.
constexpr int write_known_number(const node_writer& write, const graph& from, const graph_node& node,
                                 list<int> operands) {
  for (int value : operands)
    if (constant_of(write.to, value) == nullptr) return -1;
  const tensor_type& type = from.type_of_value(node.results);
  const int value = find_or_append(write.to, write.to.nodes.size, node.kind, from.words_of(node),
                                   {operands, {}, {}, write.region, write.source}, type);
  strided_access known;
  const bool is_known = planning::known_walks(write.to, 1).find(value, {}, known);
  return is_known ? write.append_constant(known.base, type) : value;
}

}  // namespace tenon::passes
