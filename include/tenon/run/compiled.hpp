// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/dequantize.hpp>
#include <tenon/graph/planner.hpp>
#include <tenon/graph/simplify.hpp>
#include <tenon/kernels/table.hpp>
#include <tenon/run/constants.hpp>
#include <tenon/run/execute.hpp>
#include <tenon/run/fused_loop.hpp>

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

// Compilers bound what one constant evaluation may do, so a pass stops in time, and another evaluation goes on from a
// copy of all that it has written.
inline constexpr int simplified_at_a_time = 4000, planned_at_a_time = 8000;

template <graph_sizes Room, graph_sizes Source>
struct simplifying_state {
  graph_storage<Room> target;
  bool live[Source.nodes + 1]{};
  int values[Source.values + 1]{};
  int regions[Source.regions + 1]{};
  int slots[power_of_two_above(Room.nodes)]{};
  simplifying_progress progress;
  bool done = false;

  constexpr void run(const graph& from, const graph_function& function) {
    graph to = target.open();
    simplifier pass(from, to,
                    {{live, 0, Source.nodes + 1},
                     {values, 0, Source.values + 1},
                     {regions, 0, Source.regions + 1},
                     {slots, 0, power_of_two_above(Room.nodes)}},
                    progress);
    done = pass.run(function, simplified_at_a_time);
    target.close(to);
  }
};

template <class Source>
inline constexpr graph_sizes room_to_simplify =
    sizes_of_simplified(Source::graph(), Source::function(), most_inlined_nodes);

template <class Source, int Chunk = 0>
inline constexpr auto simplifying = [] {
  auto next = simplifying<Source, Chunk - 1>;
  next.run(Source::graph(), Source::function());
  return next;
}();
template <class Source>
inline constexpr auto simplifying<Source, 0> = [] {
  simplifying_state<room_to_simplify<Source>, Source::graph().sizes()> next;
  next.run(Source::graph(), Source::function());
  return next;
}();

template <class Source, int Chunk = 0>
constexpr const auto& simplified() {
  if constexpr (simplifying<Source, Chunk>.done)
    return simplifying<Source, Chunk>;
  else
    return simplified<Source, Chunk + 1>();
}

template <graph_sizes Sizes, int Types, plan_sizes Room>
struct planning_state {
  plan_storage<Room> target;
  int uses[Sizes.values + 1]{}, alias[Sizes.values + 1]{}, block_of_value[Sizes.values + 1]{},
      last_use[Sizes.values + 1]{}, next_dying[Sizes.values + 1]{};
  bool needed[Sizes.values + 1]{};
  int first_dying[Sizes.nodes + 2]{};
  int block_of_region[Sizes.regions + 1]{};
  planning_progress progress;
  bool done = false;

  constexpr void run(const graph& g) {
    plan p = target.open();
    tensor_type types[Types + 1]{};
    constexpr int values = Sizes.values + 1;
    planner pass(g, p,
                 {{uses, 0, values},
                  {needed, 0, values},
                  {alias, 0, values},
                  {block_of_value, 0, values},
                  {last_use, 0, values},
                  {next_dying, 0, values},
                  {first_dying, 0, Sizes.nodes + 2},
                  {block_of_region, 0, Sizes.regions + 1},
                  {types, 0, Types + 1}},
                 progress);
    done = pass.run(planned_at_a_time);
    target.close(p);
  }
};

// `Program` has `storage`, a simplified graph.
template <class Program, int Chunk = 0>
inline constexpr auto planning = [] {
  auto next = planning<Program, Chunk - 1>;
  next.run(Program::storage.view());
  return next;
}();
template <class Program>
inline constexpr auto planning<Program, 0> = [] {
  constexpr graph g = Program::storage.view();
  planning_state<g.sizes(), most_operands_and_results(g), sizes_of_plan(g)> next;
  next.run(g);
  return next;
}();

template <class Program, int Chunk = 0>
constexpr const auto& planned() {
  if constexpr (planning<Program, Chunk>.done)
    return planning<Program, Chunk>;
  else
    return planned<Program, Chunk + 1>();
}

template <plan_sizes Sizes>
constexpr auto cut_plan(const plan& p) {
  plan_storage<Sizes> storage;
  storage.take(p);
  return storage;
}

// A program with its quantized arithmetic written out.
template <class Source>
struct dequantized_source {
  static constexpr auto storage = [] {
    graph_storage<sizes_of_dequantized(Source::graph())> result;
    tenon::graph to = result.open();
    int moved[Source::graph().nodes.size + 1]{};
    dequantize(Source::graph(), to, {moved, 0, Source::graph().nodes.size + 1});
    result.close(to);
    return result;
  }();
  static constexpr tenon::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return Source::function(); }
};
template <class Source>
using expressed_source =
    std::conditional_t<(Source::graph().quantizations.size > 0), dequantized_source<Source>, Source>;

// The simplified graph of a program, and its plan, in memory of the size that they take.
template <class Source>
struct simplified_program {
  static_assert(room_to_simplify<Source>.nodes >= 0,
                "tenon: the calls of the program go round in a circle or lead to a function without a body, or it "
                "grows too large");
  static_assert(!simplified<Source>().progress.failed, "tenon: the regions of the program are nested too deep");
  static constexpr auto storage = cut_graph<simplified<Source>().target.used>(simplified<Source>().target.view());
};
template <class Source>
struct planned_program {
  static constexpr const auto& wide = planned<simplified_program<Source>>().target;
  static_assert(wide.main_block >= 0, "tenon: the program could not be planned");
  static constexpr auto storage = cut_plan<wide.used>(wide.view());
};

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
  static constexpr const auto& graph_ = detail::simplified_program<detail::expressed_source<Source>>::storage;
  static constexpr const auto& plan_ = detail::planned_program<detail::expressed_source<Source>>::storage;

  // For the runs to share, rather than opened again by each.
  static constexpr tenon::graph opened_graph = graph_.view();
  static constexpr tenon::plan opened_plan = plan_.view();

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

  // Programs of few groups get a loop of its own for each group that is simple enough.
  static constexpr int most_loops = 6;
  template <int Step>
  struct group_of_step {
    static constexpr fused_nest nest = nest_of(opened_graph, opened_plan, plan_.steps[Step]);
    static constexpr const index_t* words() { return graph_.words; }
  };
  template <int Step>
  static constexpr group_loop select_loop() {
    if constexpr (serves_as_loop<group_of_step<Step>>())
      return &fused_loop<group_of_step<Step>>::run;
    else
      return nullptr;
  }
  template <int... Step>
  static constexpr auto select_loops(std::integer_sequence<int, Step...>) {
    struct {
      group_loop at[sizeof...(Step) + 1];
    } result{{select_loop<Step>()..., nullptr}};
    return result;
  }
  static constexpr auto loops =
      select_loops(std::make_integer_sequence<int, (plan_.groups <= most_loops ? plan_.used.steps : 0)>{});

 public:
  // The simplified program, and its steps.
  static constexpr tenon::graph graph() { return graph_.view(); }
  static constexpr tenon::plan plan() { return plan_.view(); }

  // Bytes of working memory, aligned to 64.
  static constexpr index_t arena_bytes = plan_.arena_bytes;
  // How many loop nests elementwise and moving ops were fused into.
  static constexpr int fused_groups = plan_.groups;

  // Runs on memory of the caller.
  static void run(const void* const* arguments, void* const* results, void* arena, const run_options& options = {}) {
    plan_walker{opened_graph,
                opened_plan,
                kernels.at,
                detail::decoded_constants<compiled>::data(),
                arena,
                options,
                plan_.groups <= most_loops ? loops.at : nullptr}(arguments, results);
  }
  // Runs on the stack, or, where the arena is large, on static memory, one per thread.
  static void run(const void* const* arguments, void* const* results, const run_options& options = {}) {
    if constexpr (arena_bytes <= most_stack_bytes) {
      alignas(64) unsigned char arena[arena_bytes];
      run(arguments, results, static_cast<void*>(arena), options);
    } else {
#if __STDC_HOSTED__
      alignas(64) static thread_local unsigned char arena[arena_bytes];
#else
      alignas(64) static unsigned char arena[arena_bytes];
#endif
      run(arguments, results, static_cast<void*>(arena), options);
    }
  }
};

}  // namespace tenon
