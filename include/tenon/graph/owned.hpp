// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/bounded.hpp>
#include <tenon/graph/dequantize.hpp>
#include <tenon/graph/planner.hpp>
#include <tenon/graph/simplify.hpp>

#include <climits>
#include <cstddef>
#include <memory>

namespace tenon {

namespace detail {

// Memory for a table whose size is known when the program runs.
template <class T>
class owned_table {
 public:
  owned_table() = default;
  explicit owned_table(int capacity) : elements_(new T[std::size_t(capacity) + 1]{}), capacity_(capacity + 1) {}

  table<T> open() const { return {elements_.get(), 0, capacity_}; }

 private:
  std::unique_ptr<T[]> elements_;
  int capacity_ = 0;
};

}  // namespace detail

// A graph with memory of its own, for programs that are known only when the program runs.
class owned_graph {
 public:
  owned_graph() = default;
  explicit owned_graph(const graph_sizes& sizes)
      : nodes_(sizes.nodes),
        values_(sizes.values),
        operands_(sizes.operands),
        words_(sizes.words),
        types_(sizes.types),
        regions_(sizes.regions),
        region_references_(sizes.region_references),
        functions_(sizes.functions),
        literals_(sizes.literals),
        names_(sizes.names),
        characters_(sizes.characters),
        quantizations_(sizes.quantizations),
        scales_(sizes.scales),
        zero_points_(sizes.scales),
        member_lists_(sizes.member_lists),
        member_types_(sizes.member_types) {
    graph_.nodes = nodes_.open(), graph_.values = values_.open(), graph_.operands = operands_.open();
    graph_.words = words_.open(), graph_.types = types_.open(), graph_.regions = regions_.open();
    graph_.region_references = region_references_.open(), graph_.functions = functions_.open();
    graph_.literals = literals_.open(), graph_.names = names_.open(), graph_.characters = characters_.open();
    graph_.quantizations = quantizations_.open(), graph_.scales = scales_.open();
    graph_.zero_points = zero_points_.open(), graph_.member_lists = member_lists_.open();
    graph_.member_types = member_types_.open();
  }

  graph& get() { return graph_; }
  const graph& get() const { return graph_; }

 private:
  detail::owned_table<graph_node> nodes_;
  detail::owned_table<graph_value> values_;
  detail::owned_table<int> operands_;
  detail::owned_table<index_t> words_;
  detail::owned_table<tensor_type> types_;
  detail::owned_table<graph_region> regions_;
  detail::owned_table<int> region_references_;
  detail::owned_table<graph_function> functions_;
  detail::owned_table<graph_literal> literals_;
  detail::owned_table<graph_name> names_;
  detail::owned_table<char> characters_;
  detail::owned_table<graph_quantization> quantizations_;
  detail::owned_table<double> scales_;
  detail::owned_table<index_t> zero_points_;
  detail::owned_table<graph_members> member_lists_;
  detail::owned_table<tensor_type> member_types_;
  graph graph_;
};

inline owned_graph dequantize(const graph& from) {
  owned_graph result(sizes_of_dequantized(from));
  dequantize(from, result.get(), detail::owned_table<int>(from.nodes.size + 1).open());
  return result;
}

// One function of a graph, simplified. No functions in the result: the calls go round in a circle, the regions are
// nested too deep, or there would be more than `most_nodes` nodes.
inline owned_graph simplify(const graph& from, const graph_function& function, int most_nodes) {
  const graph_sizes sizes = sizes_of_simplified(from, function, most_nodes);
  if (sizes.nodes < 0) return owned_graph(graph_sizes{});
  owned_graph result(sizes);
  int slot_count = 16;
  while (slot_count < 2 * sizes.nodes) slot_count *= 2;
  const detail::owned_table<bool> live(from.nodes.size);
  const detail::owned_table<int> values(from.values.size), regions(from.regions.size), slots(slot_count - 1);
  simplifying_progress progress;
  simplifier(from, result.get(), {live.open(), values.open(), regions.open(), slots.open()}, progress)
      .run(function, INT_MAX);
  if (progress.failed) result.get().functions.size = 0;
  return result;
}

// The only function of a graph without calls, with static shapes. No functions in the result: it has no such form.
inline owned_graph give_static_shapes(const graph& from, bounded_refusal& refusal) {
  const detail::owned_table<int> values(from.values.size), sizes(from.values.size * max_rank),
      regions(from.regions.size), owners(from.regions.size);
  const detail::owned_table<detail::agreed_sizes> agreed(4096);
  for (int effort = 1;; effort *= 4) {
    owned_graph result(sizes_with_static_shapes(from, effort));
    const bool done =
        give_static_shapes(from, result.get(), from.functions.data[0],
                           {values.open(), sizes.open(), regions.open(), owners.open(), agreed.open()}, refusal);
    if (done || refusal || effort > 4096) {
      if (!done) result.get().functions.size = 0;
      return result;
    }
  }
}

// A plan with memory of its own.
class owned_plan {
 public:
  explicit owned_plan(const graph& g) {
    const plan_sizes sizes = sizes_of_plan(g);
    steps_ = detail::owned_table<plan_step>(sizes.steps), micros_ = detail::owned_table<plan_micro>(sizes.micros);
    operands_ = detail::owned_table<plan_operand>(sizes.operands);
    accesses_ = detail::owned_table<strided_access>(sizes.accesses);
    values_ = detail::owned_table<int>(sizes.values), blocks_ = detail::owned_table<plan_block>(sizes.blocks);
    block_references_ = detail::owned_table<int>(sizes.block_references);
    kernels_ = detail::owned_table<kernel_key>(sizes.kernels), places_ = detail::owned_table<place>(sizes.places);
    constants_ = detail::owned_table<plan_constant>(sizes.constants);
    reads_ = detail::owned_table<plan_read>(sizes.reads), members_ = detail::owned_table<int>(sizes.members);
    gathers_ = detail::owned_table<plan_gather>(sizes.gathers);
    indices_ = detail::owned_table<plan_index>(sizes.indices);
    plan_.steps = steps_.open(), plan_.micros = micros_.open(), plan_.operands = operands_.open();
    plan_.accesses = accesses_.open(), plan_.values = values_.open(), plan_.blocks = blocks_.open();
    plan_.block_references = block_references_.open(), plan_.kernels = kernels_.open();
    plan_.places = places_.open(), plan_.constants = constants_.open();
    plan_.reads = reads_.open(), plan_.members = members_.open();
    plan_.gathers = gathers_.open(), plan_.indices = indices_.open();

    const detail::owned_table<int> uses(g.values.size), alias(g.values.size), block(g.values.size),
        last_use(g.values.size), next(g.values.size), first(g.nodes.size + 1), block_of_region(g.regions.size);
    const detail::owned_table<bool> needed(g.values.size);
    const detail::owned_table<tensor_type> types(most_operands_and_results(g));
    planning_progress progress;
    planner pass(g, plan_,
                 {uses.open(), needed.open(), alias.open(), block.open(), last_use.open(), next.open(), first.open(),
                  block_of_region.open(), types.open()},
                 progress);
    pass.run(INT64_MAX);
  }

  const plan& get() const { return plan_; }

 private:
  detail::owned_table<plan_step> steps_;
  detail::owned_table<plan_micro> micros_;
  detail::owned_table<plan_operand> operands_;
  detail::owned_table<strided_access> accesses_;
  detail::owned_table<int> values_;
  detail::owned_table<plan_block> blocks_;
  detail::owned_table<int> block_references_;
  detail::owned_table<kernel_key> kernels_;
  detail::owned_table<place> places_;
  detail::owned_table<plan_constant> constants_;
  detail::owned_table<plan_read> reads_;
  detail::owned_table<int> members_;
  detail::owned_table<plan_gather> gathers_;
  detail::owned_table<plan_index> indices_;
  plan plan_;
};

}  // namespace tenon
