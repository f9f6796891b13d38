// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/passes/elementwise_products.hpp>
#include <tenon/graph/passes/known_numbers.hpp>
#include <tenon/graph/passes/loop_invariants.hpp>
#include <tenon/graph/passes/repeated_elements.hpp>
#include <tenon/graph/passes/split_folds.hpp>
#include <tenon/graph/passes/window_updates.hpp>

namespace tenon::passes {

// Whether the node stands for the body of a function, which its first attribute names.
constexpr bool is_call(const graph_node& node) { return facts_of(node.kind).is_call; }
constexpr name_id callee_of(const graph& g, const graph_node& call) { return {int(g.words.data[call.words])}; }

// How much larger the program becomes by what is written in place of the node.
constexpr graph_sizes growth_of(const graph& g, const graph_node& node) {
  if (repeats_count(g, node)) return of_repeated_count;
  if (may_repeat_element(g, node)) return of_repeated_element;
  if (may_be_known_number(g, node)) return of_known_number;
  if (split_fold(g, node).is_wanted()) return split_fold::more;
  if (elementwise_product(g, node).is_wanted()) return elementwise_product::more;
  const window_update update(g, node);
  return update.is_wanted() ? update.more() : graph_sizes();
}

// What the nodes of one function take, without those of the functions that it calls.
constexpr graph_sizes sizes_of_body(const graph& g, const graph_function& function) {
  graph_sizes total;
  const graph_region& body = g.regions.data[function.region];
  total.regions = 1;
  total.values = body.argument_count;
  total.operands = body.yield_count;
  for (int n = body.first; n < body.last; ++n) {
    const graph_node& node = g.nodes.data[n];
    ++total.nodes;
    total.values += node.result_count, total.operands += node.operand_count, total.words += node.word_count;
    total.regions += node.region_count, total.region_references += node.region_count;
    const graph_sizes more = growth_of(g, node);
    total.nodes += more.nodes, total.values += more.values;
    total.operands += more.operands, total.words += more.words;
    total.regions += more.regions, total.region_references += more.region_references;
    total.literals += more.literals;
    for (int region : g.regions_of(node)) {
      total.values += g.regions.data[region].argument_count;
      total.operands += g.regions.data[region].yield_count;
    }
  }
  return total;
}

// The same with the bodies of the functions it calls in place of the calls; nodes is -1 if the calls go round in a
// circle or there would be more than `most_nodes`.
constexpr graph_sizes sizes_after_inlining(const graph& g, const graph_function& function, int most_nodes,
                                           int depth = 0) {
  graph_sizes total = sizes_of_body(g, function);
  const graph_region& body = g.regions.data[function.region];
  for (int n = body.first; n < body.last && total.nodes >= 0; ++n) {
    const graph_node& node = g.nodes.data[n];
    if (!is_call(node)) continue;
    const graph_function* callee = g.find_function(callee_of(g, node));
    if (callee == nullptr || callee->region < 0 || depth >= 64) return {.nodes = -1};
    const graph_sizes inner = sizes_after_inlining(g, *callee, most_nodes - total.nodes, depth + 1);
    if (inner.nodes < 0 || inner.nodes > most_nodes - total.nodes) return {.nodes = -1};
    total.nodes += inner.nodes, total.values += inner.values, total.operands += inner.operands;
    total.words += inner.words, total.regions += inner.regions, total.region_references += inner.region_references;
    total.literals += inner.literals;
  }
  return total;
}

// Memory that `simplify` needs for its result: everything that the nodes refer to stays.
constexpr graph_sizes sizes_of_simplified(const graph& g, const graph_function& function, int most_nodes) {
  graph_sizes total = sizes_after_inlining(g, function, most_nodes);
  total.types = g.types.size, total.literals += g.literals.size, total.quantizations = g.quantizations.size;
  total.scales = g.scales.size, total.member_lists = g.member_lists.size, total.member_types = g.member_types.size;
  total.names = g.names.size, total.characters = g.characters.size, total.functions = 1;
  for (const graph_literal& literal : g.literals)
    if (literal.where == graph_literal::place::words) total.words += literal.size;
  for (const graph_node& node : g.nodes) total.types += growth_of(g, node).types;
  bool has_loops = false;
  for (const graph_node& node : g.nodes) has_loops = has_loops || facts_of(node.kind).carries_in_place;
  if (has_loops && total.nodes >= 0) {
    const graph_sizes& more = of_hoisted_nodes;
    total.nodes += more.nodes, total.values += more.values, total.operands += more.operands, total.words += more.words;
  }
  return total;
}

}  // namespace tenon::passes
