// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/planner.hpp>
#include <tenon/graph/simplify.hpp>
#include <tenon/kernels/table.hpp>
#include <tenon/run/constants.hpp>
#include <tenon/run/execute.hpp>

namespace tenon {

// The largest arena that is put on the stack.
inline constexpr index_t most_stack_bytes = 16384;

// Ops in a program after the bodies of functions have taken the places of calls, at most.
inline constexpr int most_inlined_nodes = 200000;

namespace detail {

constexpr int power_of_two_above(int count) {
  int result = 16;
  while (result < 2 * count) result *= 2;
  return result;
}

template <graph_sizes Sizes>
struct simplifying_memory {
  bool live[Sizes.nodes + 1]{};
  int values[Sizes.values + 1]{};
};

// Every pass runs once, in constant evaluation, into memory of a size that is known to be enough; what is kept is cut
// to the size that was needed.
template <graph_sizes Bound, graph_sizes Source>
constexpr auto simplified_graph(const graph& from, const graph_function& function) {
  graph_storage<Bound> storage;
  graph to = storage.open();
  constexpr int slot_count = power_of_two_above(Bound.nodes);
  simplifying_memory<Source> memory;
  int slots[slot_count]{};
  simplifier pass(from, to, {memory.live, 0, Source.nodes + 1}, {memory.values, 0, Source.values + 1},
                  {slots, 0, slot_count});
  if (!pass.run(function)) to.functions.size = 0;
  storage.close(to);
  return storage;
}

template <plan_sizes Bound, int Values, int Nodes, int Regions, int Types>
constexpr auto planned(const graph& g) {
  plan_storage<Bound> storage;
  plan p = storage.open();
  int numbers[5][Values + 1]{};
  bool needed[Values + 1]{};
  int first_dying[Nodes + 2]{};
  int block_of_region[Regions + 1]{};
  tensor_type types[Types + 1]{};
  const auto column = [&](int i) { return table<int>{numbers[i], 0, Values + 1}; };
  planner pass(g, p,
               {column(0),
                {needed, 0, Values + 1},
                column(1),
                column(2),
                column(3),
                column(4),
                {first_dying, 0, Nodes + 2},
                {block_of_region, 0, Regions + 1},
                {types, 0, Types + 1}});
  if (!pass.run()) p.main_block = -1;
  storage.take(p);
  return storage;
}

template <plan_sizes Sizes>
constexpr auto cut_plan(const plan& p) {
  plan_storage<Sizes> storage;
  storage.take(p);
  return storage;
}

template <std::size_t Count>
struct kernel_array {
  kernel at[Count];
};
template <>
struct kernel_array<0> {};

}  // namespace detail

// A program made ready while compiling: `Source` has `graph()`, a constant graph, and `function()`, which function of
// it to run. Simplified, planned, and with one kernel for each op and element type that it uses.
template <class Source>
class compiled {
  static constexpr graph_sizes bound = sizes_of_simplified(Source::graph(), Source::function(), most_inlined_nodes);
  static_assert(bound.nodes >= 0, "tenon: the calls of the program go round in a circle, or it grows too large");

  static constexpr auto wide_graph =
      detail::simplified_graph<bound, Source::graph().sizes()>(Source::graph(), Source::function());
  static_assert(wide_graph.used.functions == 1, "tenon: the regions of the program are nested too deep");
  static constexpr auto graph_ = cut_graph<wide_graph.used>(wide_graph.view());

  static constexpr plan_sizes plan_bound = sizes_of_plan(graph_.view());
  static constexpr auto wide_plan =
      detail::planned<plan_bound, graph_.used.values, graph_.used.nodes, graph_.used.regions,
                      most_operands_and_results(graph_.view())>(graph_.view());
  static_assert(wide_plan.main_block >= 0, "tenon: the program could not be planned");
  static constexpr auto plan_ = detail::cut_plan<wide_plan.used>(wide_plan.view());

  template <int I>
  static constexpr auto select_kernel() {
    constexpr kernel_key key = plan_.kernels[I];
    return kernel_of<op_of_kind<key.kind>, key.element, key.result, key.body>();
  }
  template <int... I>
  static constexpr auto select_kernels(std::integer_sequence<int, I...>) {
    constexpr bool found[] = {!std::is_null_pointer_v<decltype(select_kernel<I>())>..., true};
    constexpr bool all = [&] {
      for (bool each : found)
        if (!each) return false;
      return true;
    }();
    if constexpr (all)
      return detail::kernel_array<sizeof...(I) + 1>{{select_kernel<I>()..., nullptr}};
    else
      return detail::kernel_array<0>{};
  }
  static constexpr auto kernels = select_kernels(std::make_integer_sequence<int, plan_.used.kernels>{});
  static_assert(!std::is_empty_v<decltype(kernels)>, "tenon: an op of the program cannot be run on its element types");

 public:
  // The simplified program, and its steps.
  static constexpr tenon::graph graph() { return graph_.view(); }
  static constexpr tenon::plan plan() { return plan_.view(); }

  // Bytes of working memory, aligned to 64.
  static constexpr index_t arena_bytes = plan_.arena_bytes;
  // How many loop nests elementwise and moving ops were fused into.
  static constexpr int fused_groups = plan_.groups;

  // Runs on memory of the caller.
  static void run(const void* const* arguments, void* const* results, void* arena) {
    const tenon::graph g = graph_.view();
    const tenon::plan p = plan_.view();
    executor{g, p, kernels.at, detail::decoded_constants<compiled>::data(), arena}(arguments, results);
  }
  // Runs on the stack, or, where the arena is large, on static memory, one per thread.
  static void run(const void* const* arguments, void* const* results) {
    if constexpr (arena_bytes <= most_stack_bytes) {
      alignas(64) unsigned char arena[arena_bytes];
      run(arguments, results, arena);
    } else {
#if __STDC_HOSTED__
      alignas(64) static thread_local unsigned char arena[arena_bytes];
#else
      alignas(64) static unsigned char arena[arena_bytes];
#endif
      run(arguments, results, arena);
    }
  }
};

}  // namespace tenon
