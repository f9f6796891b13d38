// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/group/pointwise_loop.hpp>
#include <tenon/kernels/library.hpp>
#include <tenon/run/constants.hpp>
#include <tenon/run/execute.hpp>
#include <tenon/run/planned_program.hpp>
#include <tenon/run/sized_call.hpp>
#include <tenon/run/unrolled_executor.hpp>
#include <tenon/run/writing_budget.hpp>

namespace tenon::execution {

// The largest arena that is put on the stack.
inline constexpr index_t most_stack_bytes = 16384;

// A program made ready while compiling: `Source` has `graph()`, a constant graph, and `function()`, which function of
// it to run. Simplified, planned, and with one kernel for each op and element type that it uses.
template <class Source>
class compiled {
  template <class>
  friend class unrolled_executor;
  template <class>
  friend class straight_steps;
  using prepared = prepared_program<expressed_source<Source>>;
  using simplified = typename prepared::type;
  static_assert(sizeof(typename prepared::check) > 0);
  static constexpr const auto& graph_ = simplified::storage;
  static constexpr const auto& plan_ = planned_program<simplified>::storage;

 public:
  // The simplified program and its steps, for the runs to share, rather than opened again by each.
  static constexpr tenon::ir::graph opened_graph = graph_.view();
  static constexpr tenon::planning::plan opened_plan = plan_.view();
  // The element of a constant, the first one of several.
  template <int Value>
  static constexpr auto constant = constant_number<compiled, Value>;

 private:
  static constexpr const linked_calls& links = linked_program<compiled>::calls;
  static constexpr tensor_type stored_type(int value) {
    const tensor_type& type = Source::graph().type_of_value(value);
    return type.with_element(type.element);
  }

  // Which steps get code of their own; the others share the kernels.
  static constexpr auto chosen = [] {
    struct {
      bool step[plan_.used.steps + 1]{};
      bool main = false;
    } result;
    result.main = choose_steps_to_write_out(opened_graph, opened_plan, writing_budget<Source>(), result.step);
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
  static constexpr auto loops = select_loops(std::make_integer_sequence<int, plan_.used.steps>{});

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
      if (loops.at[s] && (is_straight_program<compiled> || (main.first_step <= s && s < main.last_step))) continue;
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
  static constexpr auto kernels = select_kernels(std::make_integer_sequence<int, plan_.used.kernels>{});

  // Needs of the tiles of the other groups.
  static constexpr needs copies = [] {
    needs all;
    for (int s = 0; s < plan_.used.steps; ++s)
      if (!loops.at[s]) all.add(needs_of_tiles(opened_plan, opened_plan.steps.data[s]));
    return all;
  }();

 public:
  // The simplified program, and its steps.
  static constexpr tenon::ir::graph graph() { return graph_.view(); }
  static constexpr const auto& applied_rewrites() { return prepared::simplified::wide.progress.applied; }
  static constexpr tenon::planning::plan plan() { return plan_.view(); }

  // Bytes of working memory, aligned to 64.
  static constexpr index_t arena_bytes = opened_plan.arena_bytes;
  // How many loop nests elementwise and moving ops were fused into.
  static constexpr int fused_groups = opened_plan.groups;
  // The step for which graph and plan stay in the program; -1: they do not.
  static constexpr int first_kept() { return straight_steps<compiled>::first_kept(); }

  // Types of arguments and results, with bounds; of quantized tensors, those of the stored numbers.
  static constexpr const graph_region& region() { return Source::graph().regions.data[Source::function().region]; }
  static constexpr int argument_count = region().argument_count, result_count = region().yield_count;
  static constexpr tensor_type argument_type(int i) { return stored_type(region().arguments + i); }
  static constexpr tensor_type result_type(int i) { return stored_type(Source::graph().yields_of(region()).data[i]); }
  // How many bounded dimensions the arguments and the results have.
  static constexpr int bounded_dimensions_of(int count, tensor_type (*type)(int)) {
    int all = 0;
    for (int i = 0; i < count; ++i) all += bounded_dimensions(type(i));
    return all;
  }
  static constexpr int argument_sizes = bounded_dimensions_of(argument_count, argument_type);
  static constexpr int result_sizes = bounded_dimensions_of(result_count, result_type);

  // Runs on memory of the caller. Bounded dimensions are as large as their bounds; a result that is smaller is an
  // error.
  static void run(const void* const* arguments, void* const* results, void* arena,
                  const run_options& options = usual_options) {
    run_sized(arguments, nullptr, results, nullptr, arena, options);
  }
  // The same for smaller sizes: one for each bounded dimension of the arguments, and one of the results, in order. In
  // memory the dimensions are as large as their bounds all the same: what is behind their sizes is not looked at.
  static void run_sized(const void* const* arguments, const index_t* sizes, void* const* results,
                        index_t* sizes_of_results, void* arena, const run_options& options = usual_options) {
    if constexpr (argument_sizes + result_sizes == 0) {
      walk(arguments, results, arena, options);
    } else {
      static constexpr auto types = [] {
        struct {
          tensor_type arguments[argument_count + 1], results[result_count + 1];
        } all;
        for (int i = 0; i < argument_count; ++i) all.arguments[i] = argument_type(i);
        for (int i = 0; i < result_count; ++i) all.results[i] = result_type(i);
        return all;
      }();
      constexpr sized_call call({types.arguments, argument_count}, {types.results, result_count});
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
    const void* const constants = decoded_constants<compiled>::data();
    if constexpr (is_straight_program<compiled>) {
      unrolled_executor<compiled>(constants, arena, options)(arguments, results);
    } else {
      unrolled_executor<compiled>(opened_graph, opened_plan, links, {kernels.at, copies_for<copies>}, constants, arena,
                                  options, loops.at)(arguments, results);
    }
  }
};

}  // namespace tenon::execution
