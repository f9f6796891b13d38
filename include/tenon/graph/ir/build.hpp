// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/graph.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/ops/op.hpp>

#include <functional>

namespace tenon::ir {

// The arguments of `append` besides the op itself.
struct node_parts {
  list<int> operands;          // values
  list<int> regions;           // regions, already filled
  list<tensor_type> declared;  // types written for the results, if any
  int region = -1;             // where the node goes
  int source = -1;
};

// Upper limit on what one op of a C++ front end may take and give.
inline constexpr int most_operands = 64;

struct operand_types {
  tensor_type at[most_operands];
  list<tensor_type> all;

  constexpr operand_types(const graph& g, list<int> values) {
    const int count = values.size < most_operands ? values.size : most_operands;
    for (int i = 0; i < count; ++i) at[i] = g.type_of_value(values.data[i]);
    all = {at, count};
  }
  operand_types(const operand_types&) = delete;
};

// Of `Most` regions; their arguments and results together are at most 64, and 8 for each region beyond the eighth.
template <int Most = 8>
struct region_signatures {
  static constexpr int most = Most, most_types = most_operands + (Most > 8 ? 8 * (Most - 8) : 0);
  tensor_type types[most_types];
  signature at[most];
  list<signature> all;

  constexpr region_signatures(const graph& g, list<int> regions) {
    table<tensor_type> out{types, 0, most_types};
    const int count = regions.size < most ? regions.size : most;
    for (int i = 0; i < count; ++i) {
      const graph_region& region = g.regions.data[regions.data[i]];
      const int first = out.size;
      for (int a = 0; a < region.argument_count; ++a) out.push(g.type_of_value(region.arguments + a));
      const int middle = out.size;
      for (int value : g.operands.overflow ? list<int>{} : g.yields_of(region)) out.push(g.type_of_value(value));
      at[i] = {{types + first, middle - first}, {types + middle, out.size - middle}};
    }
    all = {at, count};
  }
  region_signatures(const region_signatures&) = delete;
};

// Adds a node whose attributes are the words from `first_word` on.
constexpr int append_node(graph& g, int kind, int first_word, const node_parts& parts, list<tensor_type> results) {
  graph_node node;
  node.kind = kind;
  node.operands = g.operands.size;
  node.operand_count = parts.operands.size;
  for (int value : parts.operands) g.operands.push(value);
  node.words = first_word;
  node.word_count = g.words.size - first_word;
  node.regions = g.region_references.size;
  node.region_count = parts.regions.size;
  for (int region : parts.regions) g.region_references.push(region);
  node.region = parts.region;
  node.source = parts.source;
  node.results = g.values.size;
  node.result_count = results.size;
  for (int i = 0; i < results.size; ++i) g.values.push({g.intern_type(results.data[i]), g.nodes.size, i, parts.region});
  return g.nodes.push(node);
}

// Adds a node with these result types, without asking any rule. Gives the node's number.
constexpr int append_unchecked(graph& g, int kind, list<index_t> words, const node_parts& parts,
                               list<tensor_type> results) {
  const int first = g.words.size;
  for (index_t word : words) g.words.push(word);
  return append_node(g, kind, first, parts, results);
}
template <op Op>
constexpr int append_unchecked(graph& g, const Op& self, const node_parts& parts, list<tensor_type> results) {
  const int first = g.words.size;
  write_attributes(g.words, self);
  return append_node(g, kind_of_op<Op>, first, parts, results);
}

// Adds a node of a graph that has the same types under the same numbers, with its attributes from `first_word` on, and
// with operands and regions as these functions make them of the given operands and of its regions.
constexpr int copy_node(graph& g, const graph& from, const graph_node& node, int region, int first_word,
                        list<int> operands, const auto& value_of, const auto& region_of) {
  graph_node copy = node;
  copy.operands = g.operands.size, copy.regions = g.region_references.size, copy.results = g.values.size;
  copy.words = first_word, copy.region = region, copy.operand_count = operands.size;
  for (int value : operands) g.operands.push(value_of(value));
  for (int inner : from.regions_of(node)) g.region_references.push(region_of(inner));
  for (int r = 0; r < node.result_count; ++r)
    g.values.push({from.values.data[node.results + r].type, g.nodes.size, r, region});
  return g.nodes.push(copy);
}

// The result of such a node of the region, of one of those from number `first` on if there is one, else of a new one.
constexpr int find_or_append(graph& g, int first, int kind, list<index_t> words, const node_parts& parts,
                             const tensor_type& type) {
  for (int n = g.nodes.size - 1; n >= first && n >= 0; --n) {
    const graph_node& node = g.nodes.data[n];
    if (node.kind == kind && node.region == parts.region && node.region_count == 0 && node.result_count == 1 &&
        g.words_of(node) == words && g.operands_of(node) == parts.operands && g.type_of_value(node.results) == type)
      return node.results;
  }
  return g.nodes.data[append_unchecked(g, kind, words, parts, {&type, 1})].results;
}

// Adds the op if it keeps all its rules; otherwise `rule` says which it breaks, and the graph stays as it was. Gives
// the node's number, or -1.
template <class Op>
constexpr int append(graph& g, const Op& self, const node_parts& parts, rules& rule) {
  const operand_types operands(g, parts.operands);
  const region_signatures<> regions(g, parts.regions);
  rule.declared = parts.declared;
  rule.regions = regions.all;
  rule.details = &g;
  tensor_type storage[most_operands];
  table<tensor_type> results{storage, 0, most_operands};
  infer_results(self, rule, operands.all, results);
  if (rule.broken()) return -1;
  return append_unchecked(g, self, parts, results.part(0, results.size));
}

// Opens a region within `parent` (-1: the body of a function) with arguments of these types.
constexpr int open_region(graph& g, int parent, list<tensor_type> arguments, int source = -1) {
  const graph_region region = begin_region(g, parent, source, arguments.size);
  for (int i = 0; i < arguments.size; ++i) g.values.push({g.intern_type(arguments.data[i]), -1, i, g.regions.size});
  return g.regions.push(region);
}

// Ends a region that yields these values, or a function of them.
template <class ValueOf = std::identity>
constexpr void close_region(graph& g, int region, list<int> yields, const ValueOf& value_of = {}) {
  graph_region& closed = g.regions.data[region];
  closed.last = g.nodes.size;
  closed.yields = g.operands.size;
  closed.yield_count = yields.size;
  for (int value : yields) g.operands.push(value_of(value));
}

// Adds the value of a constant; gives its number.
constexpr int push_literal(graph& g, list<index_t> words) {
  const int literal = g.literals.push({graph_literal::place::words, g.words.size, words.size});
  for (index_t word : words) g.words.push(word);
  return literal;
}

}  // namespace tenon::ir
