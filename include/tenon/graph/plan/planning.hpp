// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/value_bytes.hpp>
#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/arena.hpp>
#include <tenon/graph/plan/plan.hpp>

namespace tenon::planning {

// Notes of planning, per value of the graph unless said otherwise; memory of the caller.
struct planning_memory {
  table<int> uses;             // per value: how often it is an operand or handed over
  table<bool> needed;          // per value: somebody reads it from memory
  table<int> alias;            // per value: the value whose memory it shares, or -1
  table<int> block_of_value;   // per value: the block whose part of the arena holds it, or -1
  table<int> writer;           // per value: the step of the plan that computes it, or -1
  table<int> last_use;         // per value: the last step of the plan, of its block, that reads it, or -1
  table<bool> read_again;      // per value: that step reads it elsewhere than at one operand
  table<int> next_dying;       // per value: another one with the same last step, or -1
  table<int> first_dying;      // per step of the block being placed
  table<int> block_of_region;  // per region
  table<tensor_type> types;    // as many as a node has operands and results at most
};

// How many operands and results the largest node has.
constexpr int most_operands_and_results(const graph& g) {
  int most = 0;
  for (const graph_node& node : g.nodes)
    if (node.operand_count + node.result_count > most) most = node.operand_count + node.result_count;
  return most;
}

// A plan in the making. All parts of planning share it.
struct plan_draft {
  constexpr plan_draft(const graph& from, plan& to, const planning_memory& notes)
      : source(from), target(to), memory(notes) {}

  const graph& source;
  plan& target;
  planning_memory memory;
  index_t budget = 0;  // what may still be done before planning is interrupted
};

// Queries that all parts of planning share.
class planning_tools {
 public:
  constexpr explicit planning_tools(plan_draft& draft)
      : g_(draft.source), p_(draft.target), m_(draft.memory), budget_(draft.budget) {}

 protected:
  const graph& g_;
  plan& p_;
  planning_memory& m_;
  index_t& budget_;

  constexpr int root_of(int value) const {
    while (m_.alias.data[value] >= 0) value = m_.alias.data[value];
    return value;
  }
  constexpr bool is_splat_constant(int value) const { return tenon::ir::is_splat_constant(g_, value); }

  // Values from outside that a region and what is nested in it read or yield.
  template <class Function>
  constexpr void for_each_captured(int region_id, Function f) const {
    const graph_region& region = g_.regions.data[region_id];
    const auto read = [&](const list<int>& values) {
      for (int value : values)
        if (!is_within(g_.values.data[value].region, region_id)) f(value);
      budget_ -= values.size;
    };
    for (int n = region.first; n < region.last; ++n)  // hoisted ones may be among those of the loop
      if (const graph_node& node = g_.nodes.data[n]; is_within(node.region, region_id) && is_used(node)) {
        read(g_.operands_of(node));
        for (int nested : g_.regions_of(node)) read(g_.yields_of(g_.regions.data[nested]));
      }
    read(g_.yields_of(region));
    budget_ -= region.last - region.first;
  }

  // Dead nodes without effects are not planned. @pre the uses of its results have been counted
  constexpr bool is_used(const graph_node& node) const {
    bool found = facts_of(node.kind).effects || node.region_count > 0;
    for (int r = 0; r < node.result_count; ++r) found = found || m_.uses.data[node.results + r] > 0;
    return found;
  }
  constexpr bool is_within(int inner, int region) const {
    while (inner > region) inner = g_.regions.data[inner].parent;
    return inner == region;
  }

  // The region of such a node says what it folds by, and is never run itself.
  constexpr bool folds_by_one_op(const graph_node& node) const { return ir::folds_by_one_op(g_, node); }
  // Notes on regions that have no block yet.
  static constexpr int never_run = -2, places_results = -3, carries_in_place = -4;

  constexpr index_t scratch_for(const graph_node& node) {
    m_.types.size = 0;
    for (int value : g_.operands_of(node)) m_.types.push(g_.type_of_value(value));
    for (int r = 0; r < node.result_count; ++r) m_.types.push(g_.type_of_value(node.results + r));
    return op_tables::scratch[node.kind](g_.words.data + node.words, m_.types.part(0, node.operand_count),
                                         m_.types.part(node.operand_count, node.result_count), &g_);
  }

  // The bytes of a call record: types and addresses of operands, results, and region arguments.
  constexpr index_t call_bytes(const graph_node& node) const {
    index_t entries = node.operand_count + node.result_count;
    for (int region : g_.regions_of(node)) {
      const graph_region& inner = g_.regions.data[region];
      entries += inner.argument_count + inner.yield_count + 1;
    }
    return entries * (index_t(sizeof(tensor_type)) + bytes_of_pointers(2));
  }

  constexpr int kernel_for(const graph_node& node) {
    const op_facts facts = facts_of(node.kind);
    kernel_key key;
    key.kind = node.kind;
    key.result = node.result_count > 0 ? g_.type_of_value(node.results).element : dtype::none;
    const list<int> operands = g_.operands_of(node);
    key.element = facts.typed_by >= 0 && facts.typed_by < operands.size
                      ? g_.type_of_value(operands[facts.typed_by]).element
                      : key.result;
    if (folds_by_one_op(node)) key.body = body_of(g_, node);
    if (facts.moves_bytes && key.body < 0) key.element = key.result = bytes_type(key.element);
    for (int i = 0; i < p_.kernels.size; ++i)
      if (p_.kernels[i] == key) return i;
    return p_.kernels.push(key);
  }

  // The unsigned type of the size of the elements; complex<f64> stands for sixteen bytes.
  static constexpr dtype bytes_type(dtype element) {
    const int bytes = storage_bytes(element);
    return bytes == 0 || bytes > 8 ? dtype::complex_f64 : unsigned_type(bytes);
  }

  constexpr int bytes_of(int value) const { return int(storage_bytes(g_.type_of_value(value).element)); }
};

}  // namespace tenon::planning
