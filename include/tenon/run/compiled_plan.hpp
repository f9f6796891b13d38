// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/group/pointwise_loop.hpp>
#include <tenon/kernels/library.hpp>
#include <tenon/run/decoded_constants.hpp>
#include <tenon/run/execute.hpp>
#include <tenon/run/sized_call.hpp>
#include <tenon/run/unrolled_executor.hpp>
#include <tenon/run/writing_budget.hpp>

namespace tenon::execution {

// The largest arena that is put on the stack.
inline constexpr index_t most_stack_bytes = 16384;

// A program made ready while compiling, with one kernel for each op and element type that it uses. `Planned` has its
// simplified graph and its plan, and the types that it takes and gives.
template <class Planned>
class compiled_plan {
  template <class>
  friend class unrolled_executor;
  template <class>
  friend class straight_steps;

 public:
  // The simplified program and its steps, for the runs to share, rather than opened again by each.
  static constexpr tenon::ir::graph opened_graph = Planned::graph();
  static constexpr tenon::planning::plan opened_plan = Planned::plan();
  using literals = typename Planned::literals;
  // The element of a constant, the first one of several.
  template <int Value>
  static constexpr auto constant = constant_number<compiled_plan, Value>;

 private:
  static constexpr const linked_calls& links = linked_program<compiled_plan>::calls;

  // Which steps get code of their own; the others share the kernels.
  static constexpr auto chosen = [] {
    struct {
      bool step[opened_plan.steps.size + 1]{};
      bool main = false;
    } result;
    result.main = choose_steps_to_write_out(opened_graph, opened_plan, Planned::writing_budget, result.step);
    return result;
  }();
  template <int Step>
  struct group_of_step {
    static constexpr loop_nest program = nest_of(opened_graph, opened_plan, opened_plan.steps.data[Step]);
    static constexpr const index_t* words() { return opened_graph.words.data; }
    template <int Input>
    static constexpr bool is_known = program.inputs[Input].constant >= 0;
    template <int Input>
    static constexpr auto known_number() {
      return constant<program.inputs[Input].constant>;
    }
  };
  template <int Step>
  using loop_of_step = loop_of_group<group_of_step<Step>>;
  template <int Step>
  static constexpr bool has_loop() {
    if constexpr (chosen.step[Step])
      return is_supported_as_loop<group_of_step<Step>>();
    else
      return false;
  }
  template <int Step>
  static constexpr group_loop select_loop() {
    if constexpr (has_loop<Step>())
      return {&loop_of_step<Step>::run, loop_of_step<Step>::count(), loop_of_step<Step>::unit()};
    else
      return {};
  }
  template <int... Step>
  static constexpr auto select_loops(std::integer_sequence<int, Step...>) {
    return constant_list<group_loop, sizeof...(Step) + 1>{{select_loop<Step>()..., group_loop{}}};
  }
  static constexpr auto loops = select_loops(std::make_integer_sequence<int, opened_plan.steps.size>{});

  // None if no op calls a kernel, nor a group without a loop of its own, or in a region that may be interpreted.
  // Parts of a step, which have other shapes, may take all.
  template <int I>
  static constexpr needs needs_of_kernel() {
    constexpr kernel_key key = opened_plan.kernels.data[I];
    using op = op_of_kind<key.kind>;
    const plan_block& main = opened_plan.blocks.data[opened_plan.main_block];
    void* nowhere[tenon::planning::most_operands_and_results(opened_graph) + 1]{};
    needs all;
    for (int s = 0; s < opened_plan.steps.size; ++s) {
      const plan_step& step = opened_plan.steps.data[s];
      if (step.kernel == I && (step.parts > 0 || step.is_fused_producer)) return needs::all();
      if (step.kernel == I)
        all.add(needs_of_call<op, key.element, key.result, key.body>(
            links.call(opened_graph, step, links.steps[s], nowhere),
            links.program_of_region[links.steps[s].first_region] >= 0, links.steps[s].product >= 0));
      if (loops.at[s] && (is_straight_program<compiled_plan> || (main.first_step <= s && s < main.last_step))) continue;
      for (int i = 0; i < step.instruction_count; ++i)
        if (opened_plan.instructions.data[step.first_instruction + i].kernel == I) all.add(needs_in_groups<op>);
    }
    return all;
  }
  template <int I>
  static constexpr kernel select_kernel() {
    if constexpr (constexpr needs taken = needs_of_kernel<I>(); taken.bits != 0) {
      constexpr kernel_key key = opened_plan.kernels.data[I];
      using op = op_of_kind<key.kind>;
      constexpr auto found = linked_kernel_of<op, key.element, key.result, key.body, taken>();
      static_assert(!std::is_null_pointer_v<decltype(found)>,
                    "tenon: an op of the program cannot be run on its element types");
      return found;
    } else {
      return nullptr;
    }
  }
  template <int... I>
  static constexpr auto select_kernels(std::integer_sequence<int, I...>) {
    return constant_list<kernel, sizeof...(I) + 1>{{select_kernel<I>()..., nullptr}};
  }
  static constexpr auto kernels = select_kernels(std::make_integer_sequence<int, opened_plan.kernels.size>{});

  // Needs of the tiles of the other groups.
  static constexpr needs copies = [] {
    needs all;
    for (int s = 0; s < opened_plan.steps.size; ++s)
      if (!loops.at[s]) all.add(needs_of_tiles(opened_plan, opened_plan.steps.data[s]));
    return all;
  }();

 public:
  // The simplified program, and its steps.
  static constexpr tenon::ir::graph graph() { return opened_graph; }
  static constexpr const auto& applied_rewrites() { return Planned::applied_rewrites(); }
  static constexpr tenon::planning::plan plan() { return opened_plan; }

  // Bytes of working memory, aligned to 64.
  static constexpr index_t arena_bytes = opened_plan.arena_bytes;
  // How many loop nests elementwise and moving ops were fused into.
  static constexpr int fused_groups = opened_plan.groups;
  // The step for which graph and plan stay in the program; -1: they do not.
  static constexpr int first_kept() { return straight_steps<compiled_plan>::first_kept(); }

  // Types of arguments and results, with bounds; of quantized tensors, those of the stored numbers.
  static constexpr int argument_count = Planned::arguments.size, result_count = Planned::results.size;
  static constexpr tensor_type argument_type(int i) { return Planned::arguments[i]; }
  static constexpr tensor_type result_type(int i) { return Planned::results[i]; }
  // How many bounded dimensions the arguments and the results have.
  static constexpr sized_call call{Planned::arguments, Planned::results};
  static constexpr int argument_sizes = call.argument_count() - argument_count;
  static constexpr int result_sizes = call.result_count() - result_count;

  // Runs on memory of the caller. Bounded dimensions are as large as their bounds; a result that is smaller is an
  // error.
  static void run(const void* const* arguments, void* const* results, void* arena,
                  const run_options& options = usual_options) {
    run_sized(arguments, nullptr, results, nullptr, arena, options);
  }
  // Runs with a size for each bounded dimension of the arguments and of the results, in order. In memory these are as
  // large as their bounds; elements beyond the sizes are not read.
  static void run_sized(const void* const* arguments, const index_t* sizes, void* const* results,
                        index_t* sizes_of_results, void* arena, const run_options& options = usual_options) {
    if constexpr (!call.is_sized()) {
      walk(arguments, results, arena, options);
    } else {
      const void* inputs[call.argument_count() + 1];
      void* outputs[call.result_count() + 1];
      index_t numbers[call.size_count() + 1];
      call.prepare(arguments, sizes, results, inputs, outputs, numbers);
      walk(inputs, outputs, arena, options);
      call.finish(numbers, sizes_of_results);
    }
  }
  // Runs on the stack, or, where the arena is large, on static memory, one per thread.
  static void run(const void* const* arguments, void* const* results, const run_options& options = usual_options) {
    run_sized(arguments, nullptr, results, nullptr, options);
  }
  static void run_sized(const void* const* arguments, const index_t* sizes, void* const* results,
                        index_t* sizes_of_results, const run_options& options = usual_options) {
    if constexpr (arena_bytes <= most_stack_bytes) {
      alignas(64) unsigned char arena[arena_bytes];
      run_sized(arguments, sizes, results, sizes_of_results, static_cast<void*>(arena), options);
    } else {
#if __STDC_HOSTED__
      alignas(64) static thread_local unsigned char arena[arena_bytes];
#else
      alignas(64) static unsigned char arena[arena_bytes];
#endif
      run_sized(arguments, sizes, results, sizes_of_results, static_cast<void*>(arena), options);
    }
  }

 private:
  static void walk(const void* const* arguments, void* const* results, void* arena, const run_options& options) {
    const void* const constants = decoded_constants<compiled_plan>::data();
    if constexpr (is_straight_program<compiled_plan>) {
      unrolled_executor<compiled_plan>(constants, arena, options)(arguments, results);
    } else {
      unrolled_executor<compiled_plan>(opened_graph, opened_plan, links, {kernels.at, copies_for<copies>}, constants,
                                       arena, options, loops.at)(arguments, results);
    }
  }
};

}  // namespace tenon::execution
