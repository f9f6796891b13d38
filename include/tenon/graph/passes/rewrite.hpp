// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/passes/node_writer.hpp>

#include <string_view>

namespace tenon::passes {

// A node of the source whose operands have been written, and the region of the target that it would be written to.
struct rewrite_site {
  const graph& from;
  const graph_node& node;
  graph& to;
  int region = -1;
  table<int>& values;         // of the target, per value of the source; negative: not written yet, see below
  const table<int>& regions;  // of the target, per region of the source

  // Until it is written, a value says who reads it: elementwise ops only, a single other node, or several.
  static constexpr int read_by_elementwise_ops = -2;
  static constexpr int read_by(int node) { return read_by_elementwise_ops - 1 - node; }
  constexpr std::optional<graph_node> only_reader() const {
    const int value = values.data[node.results];
    return value < read_by_elementwise_ops ? std::optional(from.nodes.data[read_by(0) - value]) : std::nullopt;
  }

  constexpr node_writer writer() const { return {to, region, node.source}; }
  // One of the last nodes, if it gives the same.
  constexpr int find_or_append(int kind, list<index_t> words, list<int> operands, const tensor_type& type) const {
    const node_parts parts{operands, {}, {}, region, node.source};
    return tenon::ir::find_or_append(to, to.nodes.size - 64, kind, words, parts, type);
  }
  constexpr const index_t* words() const { return from.words.data + node.words; }
  constexpr int operand(int i) const { return values.data[from.operands_of(node)[i]]; }
  constexpr const tensor_type& type(int i) const { return to.type_of_value(operand(i)); }
  constexpr const tensor_type& result() const { return from.type_of_value(node.results); }
  // The node of the target that gives operand i, if it is of this kind.
  template <class Op>
  constexpr std::optional<graph_node> producer(int i) const {
    return producer(i, kind_of_op<Op>);
  }
  constexpr std::optional<graph_node> producer(int i, int kind) const {
    const int n = to.values.data[operand(i)].node;
    return n >= 0 && to.nodes.data[n].kind == kind ? std::optional(to.nodes.data[n]) : std::nullopt;
  }
  template <class Op>
  constexpr Op attributes() const {
    return read_attributes<Op>(words());
  }
};

// A rewrite is a class that is made from a site, with
//   name                     to count it and to switch it off
//   begins_at(kind)          which ops it replaces; asked once per op, not per node
//   bool matches()           whether it replaces the node of the site
//   int rewrite()            writes what replaces it; gives the value of the node's only result
// This is the base of those that need no more than the site.
struct rewrite_pattern {
  const rewrite_site& at;
  constexpr explicit rewrite_pattern(const rewrite_site& site) : at(site) {}
};

template <class... Ops>
constexpr bool is_one_of(int kind) {
  return ((kind == kind_of_op<Ops>) || ...);
}

// The most that one rewrite may write. Whoever writes a graph has room for it before each node.
inline constexpr graph_sizes most_rewritten{.nodes = 96,
                                            .values = 96,
                                            .operands = 160,
                                            .words = 10 * (3 * max_rank + 8),
                                            .types = 24,
                                            .regions = 2,
                                            .region_references = 2,
                                            .literals = 3 * max_rank};

}  // namespace tenon::passes
