// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/growing.hpp>
#include <tenon/graph/passes/bounded.hpp>
#include <tenon/graph/passes/converted_values.hpp>
#include <tenon/graph/passes/simplify.hpp>
#include <tenon/graph/passes/wide_folds.hpp>
#include <tenon/graph/plan/planner.hpp>

#include <climits>
#include <cstddef>
#include <memory>

namespace tenon::passes {

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

template <class Entry>
struct owned_entry {
  owned_table<typename Entry::element> memory;
};
template <class List>
struct owned_tables;
template <class... Entries>
struct owned_tables<table_list<Entries...>> : owned_entry<Entries>... {
  owned_tables() = default;
  // @post the tables of `whole` lie here, empty, with room for these sizes
  template <class Whole, class Sizes>
  owned_tables(Whole& whole, const Sizes& sizes)
      : owned_entry<Entries>{owned_table<typename Entries::element>(sizes.*Entries::size)}... {
    ((whole.*Entries::table = owned_entry<Entries>::memory.open()), ...);
  }
};

// A graph with memory of its own, for programs that are known only when the program runs.
using owned_graph = growing_graph;

template <class Types>
owned_graph write_conversions(const graph& from) {
  owned_graph result(sizes_with_conversions(from, Types{from}));
  write_conversions(from, result.get(), owned_table<int>(from.nodes.size + 1).open(), Types{from});
  return result;
}

// One function of a graph, simplified. No functions in the result: `progress` says why. It says too which rewrites are
// switched off, and counts.
inline owned_graph simplify(const graph& from, const graph_function& function, int most_nodes,
                            simplifying_progress& progress) {
  const owned_table<bool> live(from.nodes.size);
  const owned_table<int> values(from.values.size), regions(from.regions.size);
  owned_graph result(simplifier::room_to_begin(from));
  graph& to = result.get();
  owned_table<int> next(to.nodes.capacity);
  while (!simplifier(from, to, {live.open(), values.open(), regions.open(), next.open()}, progress)
              .run(function, INT_MAX, most_nodes)) {
    result.make_room(simplifier::room_for_step(from));
    const owned_table<int> last = std::move(next);
    next = owned_table<int>(to.nodes.capacity);
    for (int n = 0; n < to.nodes.size; ++n) next.open()[n] = last.open()[n];
  }
  if (progress.failure) result.get().functions.size = 0;
  return result;
}

// The only function of a graph without calls, with static shapes. No functions in the result: it has no such form.
inline owned_graph give_static_shapes(const graph& from, bounded_refusal& refusal) {
  const owned_table<int> values(from.values.size), sizes(from.values.size * max_rank), regions(from.regions.size),
      owners(from.regions.size);
  const owned_table<agreed_sizes> agreed(4096);
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
  explicit owned_plan(const graph& g) : tables_(plan_, planning::sizes_of_plan(g)) {
    const owned_table<int> uses(g.values.size), alias(g.values.size), block(g.values.size), writer(g.values.size),
        last_use(g.values.size), next(g.values.size), first(g.nodes.size + 1), block_of_region(g.regions.size);
    const owned_table<bool> needed(g.values.size), read_again(g.values.size);
    const owned_table<tensor_type> types(planning::most_operands_and_results(g));
    planning_progress progress;
    plan_draft draft(g, plan_,
                     {uses.open(), needed.open(), alias.open(), block.open(), writer.open(), last_use.open(),
                      read_again.open(), next.open(), first.open(), block_of_region.open(), types.open()});
    planner(draft, progress).run(INT64_MAX);
  }

  const plan& get() const { return plan_; }

 private:
  plan plan_;
  owned_tables<plan_tables> tables_;
};

}  // namespace tenon::passes
