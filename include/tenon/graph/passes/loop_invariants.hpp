// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/passes/simplifying_progress.hpp>

// Loop-invariant code motion: values that all iterations share, such as a mask, are computed in front of the loop.
namespace tenon::passes {

// The most nodes of a program that are written in front of loops, where they compute tensors of such sizes.
inline constexpr int most_hoisted_nodes = 96;
inline constexpr index_t fewest_hoisted_elements = 16, most_hoisted_elements = 1 << 20;
inline constexpr graph_sizes of_hoisted_nodes{.nodes = most_hoisted_nodes,
                                              .values = most_hoisted_nodes,
                                              .operands = 3 * most_hoisted_nodes,
                                              .words = 24 * most_hoisted_nodes};

class loop_invariants {
 public:
  constexpr loop_invariants(graph& to, const open_regions& open, int& hoisted)
      : to_(to), open_(open), hoisted_(hoisted) {}

  static constexpr bool may_move(const graph_node& node) {
    const op_facts& facts = facts_of(node.kind);
    return node.kind >= 0 && node.region_count == 0 && node.result_count == 1 && node.operand_count <= 3 &&
           !facts.effects && !facts.impure && !facts.is_call && !facts.runs_targets && !facts.unwraps;
  }
  // Whether an iteration may compute something else from these values than the one before. Operands without elements
  // need not have been written: -1.
  constexpr bool vary(list<int> values) {
    for (int value : values)
      if (value >= 0 && level_of(value) == open_.size() - 1) return true;
    return false;
  }
  // The value itself, or one of the same elements in front of the loops that it does not depend on, if that pays for
  // the node that reads it.
  constexpr int in_front(int value, const graph_node& reader) {
    const index_t size = value < 0 ? 0 : to_.type_of_value(value).size();
    if (size < fewest_hoisted_elements || size > most_hoisted_elements) return value;
    const int own = open_level(to_.values.data[value].region), level = level_of(value);
    if (level >= own) return value;
    if (is_fused(reader) && repeats(value)) {
      const int repeated = operand_of(value), moved = in_front(repeated, node_of(value));
      return moved == repeated ? value : repeat(moved, value, to_.values.data[value].region);
    }
    cost_ = 0, nodes_ = 0;
    measure(value, level);
    // Where ops are fused, a single one is done as fast as its result is read.
    const int least = is_fused(reader) ? 2 : 1;
    if (cost_ < least || hoisted_ + nodes_ > most_hoisted_nodes) return value;
    return write(value, level);
  }
  // The value itself, or the same elements repeated in the innermost region, where the node that reads them does that
  // as it reads: none are stored in front of the loops to be read in every iteration.
  constexpr int inside(int value, const graph_node& reader) {
    const int region = open_.region(open_.size() - 1);
    if (value < 0 || to_.values.data[value].region == region || !is_fused(reader) || !repeats(value)) return value;
    return hoisted_ < most_hoisted_nodes ? repeat(operand_of(value), value, region) : value;
  }

 private:
  graph& to_;
  const open_regions& open_;
  int& hoisted_;
  int cost_ = 0, nodes_ = 0, budget_ = 0;

  static constexpr int never = 1 << 20;

  constexpr const graph_node& node_of(int value) const { return to_.nodes.data[to_.values.data[value].node]; }
  constexpr int operand_of(int value) const { return to_.operands_of(node_of(value))[0]; }
  // Whether the op reads its operands where they are computed, or as they are moved.
  static constexpr bool is_fused(const graph_node& reader) {
    const op_facts& facts = facts_of(reader.kind);
    return facts.elementwise || facts.moves || facts.folds;
  }
  // Whether the value is fewer elements, which it repeats.
  constexpr bool repeats(int value) const {
    if (to_.values.data[value].node < 0) return false;
    const graph_node& node = node_of(value);
    return facts_of(node.kind).moves && node.operand_count == 1 && node.result_count == 1 &&
           to_.type_of_value(operand_of(value)).size() < to_.type_of_value(value).size();
  }
  // A node in the region that repeats the elements of `operand` as that of `value` does with those of its own.
  constexpr int repeat(int operand, int value, int region) { return append_hoisted(value, {&operand, 1}, region); }
  // The op that gives this value, on other operands in another region, unless that has been written, for another
  // reader.
  constexpr int append_hoisted(int value, list<int> operands, int region) {
    const graph_node node = node_of(value);
    const tensor_type type = to_.type_of_value(value);
    const int before = to_.nodes.size;
    const int result = find_or_append(to_, to_.values.data[value].node + 1, node.kind, to_.words_of(node),
                                      {operands, {}, {}, region, node.source}, type);
    hoisted_ += to_.nodes.size - before;
    return result;
  }

  constexpr int open_level(int region) const {
    for (int i = open_.size() - 1; i >= 0; --i)
      if (open_.region(i) == region) return i;
    return never;
  }
  // The innermost of the open regions that the value depends on.
  constexpr int level_of(int value) {
    budget_ = 48;
    return find_level(value);
  }
  constexpr int find_level(int value) {
    const graph_value& known = to_.values.data[value];
    const int own = open_level(known.region);
    if (own <= 0 || own == never || !open_.is_loop(own)) return own;
    if (--budget_ < 0) return own;
    if (known.node < 0) {
      const int given = open_.given_to(own, known.index);
      return given < 0 ? own : find_level(given);
    }
    const graph_node& node = to_.nodes.data[known.node];
    if (!may_move(node) || !is_dense_tensor(to_.types.data[known.type])) return own;
    int level = 0;
    for (int operand : to_.operands_of(node)) {
      const int found = find_level(operand);
      if (found >= own) return own;
      if (found > level) level = found;
    }
    return level;
  }

  // Counts what is computed in front of the loop, and the nodes that it takes.
  constexpr void measure(int value, int level) {
    const graph_value& known = to_.values.data[value];
    const int own = open_level(known.region);
    if (own <= level || nodes_ > most_hoisted_nodes) return;
    if (known.node < 0) return measure(open_.given_to(own, known.index), level);
    const graph_node& node = to_.nodes.data[known.node];
    const op_facts& facts = facts_of(node.kind);
    ++nodes_;
    if (facts.elementwise && node.operand_count > 0)
      ++cost_;
    else if (!facts.moves && node.operand_count > 0)
      cost_ += 2;
    for (int operand : to_.operands_of(node)) measure(operand, level);
  }

  constexpr int write(int value, int level) {
    const graph_value known = to_.values.data[value];
    const int own = open_level(known.region);
    if (own <= level) return value;
    if (known.node < 0) return write(open_.given_to(own, known.index), level);
    const graph_node node = to_.nodes.data[known.node];
    int operands[3] = {};
    for (int i = 0; i < node.operand_count; ++i) operands[i] = write(to_.operands_of(node)[i], level);
    return append_hoisted(value, {operands, node.operand_count}, open_.region(level));
  }
};

}  // namespace tenon::passes
