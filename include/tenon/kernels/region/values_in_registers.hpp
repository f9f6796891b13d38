// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/graph/plan/planning.hpp>
#include <tenon/kernels/elementwise.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>

#include <type_traits>
#include <utility>

namespace tenon::kernels {

// Whether `Count` operands are what the op takes for these element types.
template <class Op, dtype T, dtype R, int Count>
constexpr bool computes_numbers() {
  if constexpr (has_element<Op>)
    return element_arity<Op, element_t<T>, element_t<R>>() == Count;
  else
    return false;
}

// Which values of the regions of a node stay in registers, and which steps compute them there: those of few elements of
// plain types, by ops whose elements are found while compiling. `Program` has the constants `opened_graph` and
// `opened_plan`.
template <class Program, int Node>
class values_in_registers {
 protected:
  static constexpr const graph& g = Program::opened_graph;
  static constexpr const plan& p = Program::opened_plan;
  // Elements of a value in registers, elements that are computed in all, and elements that one is folded from.
  static constexpr int most_elements = 8, most_computed = 1500;
  static constexpr index_t most_folded = 7;

  static constexpr const graph_node& node_at(int n) { return g.nodes.data[n]; }
  static constexpr const tensor_type& type_at(int value) { return g.type_of_value(value); }
  template <int Value>
  using type_of_value = element_t<g.type_of_value(Value).element>;
  template <int N>
  using op_of = op_of_kind<node_at(N).kind>;
  static constexpr int size_of(int value) { return int(type_at(value).size()); }
  static constexpr dtype key_of(int n) { return key_of_node(g, node_at(n)); }

  // The nodes of the regions of this one, and of those nested in them, stand in front of it.
  static constexpr int first_node = [] {
    int first = Node;
    for (int region : g.regions_of(node_at(Node)))
      if (g.regions.data[region].first < first) first = g.regions.data[region].first;
    return first;
  }();
  static constexpr int first_value = g.regions.data[g.regions_of(node_at(Node))[0]].arguments;
  static constexpr int last_value = node_at(Node).results + node_at(Node).result_count;
  static constexpr int node_count = Node + 1 - first_node, value_count = last_value - first_value;

  static constexpr int root_of(int value) { return tenon::ir::root_of(g, value); }
  static constexpr bool is_plain(int value) {
    const tensor_type& type = type_at(value);
    return type.is_tensor() && !type.is_quantized() && type.bounded == 0 && is_plain_number(type.element);
  }
  static constexpr bool is_small(int value) {
    return is_plain(value) && type_at(value).size() > 0 && type_at(value).size() <= most_elements;
  }
  // Whether one element says all of a constant.
  static constexpr bool is_splat_constant(int value) {
    return size_of(value) == 1 ? constant_of(g, value).has_value() : tenon::ir::is_splat_constant(g, value);
  }
  static constexpr bool is_in_memory(int value) { return p.places.data[value].base >= 0; }
  // Whether elements of an operand can be read one by one, wherever it is.
  static constexpr bool is_readable(int value) {
    const int root = root_of(value);
    return is_plain(root) && type_at(root).element == type_at(value).element &&
           (is_small(root) || is_splat_constant(root) || is_in_memory(root));
  }
  static constexpr bool are_readable(const graph_node& node, int first = 0) {
    for (int i = first; i < node.operand_count; ++i)
      if (!is_readable(g.operands_of(node)[i])) return false;
    return true;
  }

  struct types_of_operands {
    tensor_type at[16];
    int count = 0;
    constexpr list<tensor_type> all() const { return {at, count}; }
  };
  static constexpr types_of_operands types_of(const graph_node& node) {
    types_of_operands types;
    for (int value : g.operands_of(node))
      if (types.count < 16) types.at[types.count++] = type_at(value);
    return types;
  }
  static constexpr indexing::indexing_map map_of(int n, int operand) {
    const types_of_operands types = types_of(node_at(n));
    return op_tables::reads[node_at(n).kind](g.words.data + node_at(n).words, operand, types.all(),
                                             type_at(node_at(n).results));
  }

  template <int N, int Operand>
  static constexpr indexing::indexing_map map = map_of(N, Operand);

  // Where the elements of what a node moves come from.
  struct source {
    int operand = -1;
    index_t position = 0;
  };
  struct sources_of_elements {
    source at[most_elements];
    bool known = true;
  };
  static constexpr sources_of_elements find_sources(int n) {
    sources_of_elements found;
    const graph_node& node = node_at(n);
    const ints& shape = type_at(node.results).shape;
    for (int k = 0; k < node.operand_count; ++k) {
      const indexing::indexing_map map = map_of(n, k);
      if (map.is_known_empty()) continue;
      const ints& operand = type_at(g.operands_of(node)[k]).shape;
      if (!map.is_defined() || map.symbol_count() > 0) {
        found.known = false;
        return found;
      }
      for (int i = 0; i < size_of(node.results); ++i) {
        const ints index = index_at(shape, i);
        if (found.at[i].operand < 0 && indexing::in_domain(map, index))
          found.at[i] = {k, position_of(operand, indexing::evaluate(map, index))};
      }
    }
    for (int i = 0; i < size_of(node.results); ++i) found.known = found.known && found.at[i].operand >= 0;
    return found;
  }
  template <int N>
  static constexpr sources_of_elements sources = find_sources(N);

  static constexpr ints index_at(const ints& shape, index_t position) {
    ints index = shape;
    for (int d = shape.size - 1; d >= 0; --d) {
      index.at[d] = position % shape.at[d];
      position /= shape.at[d];
    }
    return index;
  }
  static constexpr index_t position_of(const ints& shape, const auto& index) {
    index_t position = 0;
    for (int d = 0; d < shape.size; ++d) position = position * shape.at[d] + index[d];
    return position;
  }

  // Whether a node takes elements from where other operands say, which are kept inside.
  static constexpr bool gathers(int n) {
    const graph_node& node = node_at(n);
    if (!facts_of(node.kind).gathers || facts_of(node.kind).updates_operands || node.operand_count > 16) return false;
    const indexing::indexing_map map = map_of(n, 0);
    return map.is_defined() && map.range_count == 0 && map.runtime_count > 0 && map.constraint_count == 0;
  }
  // Whether a node replaces a few elements of an operand where it lies, from where other operands say on.
  static constexpr bool replaces_in_place(int n) {
    const graph_node& node = node_at(n);
    if (!facts_of(node.kind).gathers || !facts_of(node.kind).updates_operands || node.operand_count < 2 ||
        node.operand_count > 16 || node.result_count != 1)
      return false;
    const list<int> operands = g.operands_of(node);
    const place &from = p.places.data[root_of(operands[0])], &to = p.places.data[node.results];
    if (is_small(node.results) || !is_plain(node.results) || !is_small(operands[1]) || from.base < 0 ||
        from.base != to.base || from.offset != to.offset)
      return false;
    const indexing::indexing_map map = map_of(n, 1);
    const index_t zeros[indexing::indexing_map::symbol_capacity]{};
    const indexing::integers none(zeros, std::size_t(map.symbol_count()));
    if (!map.is_defined() || map.range_count > 0) return false;
    for (int i = 0; i < size_of(operands[1]); ++i) {
      const ints index = index_at(type_at(operands[1]).shape, i);
      const auto moved = indexing::evaluate(map, index, none);
      for (int d = 0; d < index.size; ++d)
        if (moved[d] != index.at[d]) return false;
    }
    return true;
  }
  // Whether a node folds so few elements that they are combined in order.
  static constexpr bool folds_few(int n) {
    const graph_node& node = node_at(n);
    if (!facts_of(node.kind).folds || !folds_by_one_op(g, node)) return false;
    const indexing::indexing_map map = map_of(n, 0);
    const index_t all = type_at(g.operands_of(node)[0]).size();
    return map.is_defined() && map.runtime_count == 0 && map.constraint_count == 0 && all > 0 &&
           all / size_of(node.results) <= most_folded && all <= most_elements * most_folded;
  }

  // Whether registers take the results of a node.
  template <int N>
  static constexpr bool fits() {
    constexpr graph_node node = node_at(N);
    if constexpr (node.kind < 0) {
      return false;
    } else if constexpr (facts_of(node.kind).runs_on_values) {
      for (int i = 0; i < node.result_count; ++i)
        if (!type_at(node.results + i).is_tensor() || type_at(node.results + i).bounded != 0 ||
            !is_in_memory(node.results + i))
          return false;
      // The selector of a branch is a scalar.
      return facts_of(node.kind).carries_in_place || are_readable(node);
    } else if constexpr (replaces_in_place(N)) {
      return are_readable(node, 1);
    } else if constexpr (node.result_count != 1 || !is_small(node.results)) {
      return false;
    } else if constexpr (!are_readable(node)) {
      return false;
    } else if constexpr (facts_of(node.kind).elementwise) {
      return computes_numbers<op_of<N>, key_of(N), type_at(node.results).element, node.operand_count>();
    } else if constexpr (folds_few(N)) {
      return true;
    } else if constexpr (facts_of(node.kind).moves && node.region_count == 0) {
      if constexpr (node.operand_count > 16)
        return false;
      else
        return sources<N>.known;
    } else {
      return gathers(N);
    }
  }
  struct flags_of_nodes {
    bool at[std::size_t(node_count)];
  };
  static constexpr flags_of_nodes fitting = []<int... I>(std::integer_sequence<int, I...>) {
    return flags_of_nodes{{fits<first_node + I>()...}};
  }(std::make_integer_sequence<int, node_count>());

  // The nodes that are computed in registers, and those of them that are read from memory.
  struct division {
    bool node[std::size_t(node_count)]{};
    bool region[std::size_t(g.regions.size + 1)]{};
    bool step[std::size_t(p.steps.size + 1)]{};
    bool stored[std::size_t(value_count)]{};
    int computed = 0;

    constexpr bool has(int n) const { return first_node <= n && n <= Node && node[n - first_node]; }
    constexpr bool holds(int root) const {
      if (root < first_value || !is_small(root)) return false;
      const graph_value& value = g.values.data[root];
      return value.node >= 0 ? has(value.node) : region[value.region];
    }
    constexpr void add(int n) {
      node[n - first_node] = true;
      const op_facts facts = facts_of(node_at(n).kind);
      if (!facts.runs_on_values) {
        // Of what is replaced in place only that.
        computed += size_of(facts.updates_operands ? g.operands_of(node_at(n))[1] : node_at(n).results);
        return;
      }
      ++computed;
      for (int r : g.regions_of(node_at(n))) add_region(r);
    }
    constexpr void add_region(int r) {
      region[r] = true;
      for (const plan_block& block : p.blocks)
        if (block.region == r)
          for (int s = block.first_step; s < block.last_step; ++s) add_step(s);
    }
    constexpr void add_step(int s) {
      const plan_step& each = p.steps.data[s];
      if (each.parts > 0 || each.is_fused_producer) return;
      if (each.has_op() && !fitting.at[each.node - first_node]) return;
      for (int m = 0; m < each.member_count; ++m)
        if (const int n = p.members.data[each.first_member + m]; n < first_node || !fitting.at[n - first_node]) return;
      step[s] = true;
      if (each.has_op()) add(each.node);
      for (int m = 0; m < each.member_count; ++m) add(p.members.data[each.first_member + m]);
    }
    constexpr void note_read(int value) {
      if (const int root = root_of(value); holds(root)) stored[root - first_value] = true;
    }
    // Steps that are not computed in registers, some of whose ops may be computed in a register step as well.
    constexpr void note_reads() {
      for (int s = 0; s < p.steps.size; ++s)
        for (int i = 0; i < p.steps.data[s].operand_count && !step[s]; ++i)
          note_read(p.values.data[p.steps.data[s].first + i]);
      for (int n = first_node; n <= Node; ++n)
        for (int r : g.regions_of(node_at(n)))
          if (!region[r])
            for (int value : g.yields_of(g.regions.data[r])) note_read(value);
      for (int i = 0; i < node_at(Node).result_count; ++i) note_read(node_at(Node).results + i);
    }
  };
  static constexpr division in_registers = [] {
    division all;
    if (fitting.at[Node - first_node]) all.add(Node);
    all.note_reads();
    return all;
  }();
  static constexpr bool holds(int value) { return in_registers.holds(root_of(value)); }
  static constexpr bool is_stored(int value) {
    return value >= first_value && in_registers.stored[root_of(value) - first_value];
  }

 public:
  static constexpr bool is_supported() { return in_registers.has(Node) && in_registers.computed <= most_computed; }
  // Whether a step of the regions is computed in registers.
  static constexpr bool computes(int step) { return in_registers.step[step]; }
};

}  // namespace tenon::kernels
