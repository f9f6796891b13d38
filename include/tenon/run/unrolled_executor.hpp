// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/views.hpp>
#include <tenon/kernels/fixed_product.hpp>
#include <tenon/kernels/group/pointwise_loop.hpp>
#include <tenon/kernels/region/compile_region.hpp>
#include <tenon/kernels/region/register_code.hpp>
#include <tenon/run/execute.hpp>

#include <type_traits>
#include <utility>

namespace tenon {

// Walks a plan of few steps that is known while compiling: the steps stand one behind the other as calls of known
// functions on known places, so that a compiler sees through them. `Program` has the constants `opened_graph`,
// `opened_plan`, `kernels` and `loops`, and `loop_of_step`.
template <class Program>
class unrolled_executor : public plan_executor {
  template <class, int>
  friend class register_code;
  static constexpr const graph& g = Program::opened_graph;
  static constexpr const plan& p = Program::opened_plan;

 public:
  using plan_executor::plan_executor;
  static constexpr const graph& opened_graph = Program::opened_graph;
  static constexpr const plan& opened_plan = Program::opened_plan;
  template <int Value>
  static constexpr auto constant = Program::template constant<Value>;

  HWY_INLINE void operator()(const void* const* arguments, void* const* results) {
    arguments_ = arguments, results_ = results;
    if constexpr (Program::chosen.main) {
      random_ = {options_.seed, 0};
      run_block<p.main_block>(arguments, results);
    } else {
      codes_ = all_codes;
      plan_executor::operator()(arguments, results);
    }
  }

 private:
  // The pointers of the main block are where the caller has them: no need to look them up in the arena.
  static constexpr int first_argument = p.blocks.data[p.main_block].first_pointer;
  static constexpr int first_result =
      first_argument + g.regions.data[p.blocks.data[p.main_block].region].argument_count;
  static constexpr int last_result = first_result + p.blocks.data[p.main_block].yield_count;

  const void* const* arguments_ = nullptr;
  void* const* results_ = nullptr;

  template <int Base>
  HWY_INLINE char* pointer() const {
    if constexpr (first_argument <= Base && Base < first_result)
      return static_cast<char*>(const_cast<void*>(arguments_[Base - first_argument]));
    else if constexpr (first_result <= Base && Base < last_result)
      return static_cast<char*>(results_[Base - first_result]);
    else
      return static_cast<char*>(pointers_[Base]);
  }
  template <int Value>
  HWY_INLINE char* address() const {
    constexpr place at = p.places.data[Value];
    return pointer<at.base>() + at.offset;
  }

  template <int Block>
  HWY_INLINE void run_block(const void* const* arguments, void* const* results) {
    constexpr plan_block block = p.blocks.data[Block];
    constexpr int argument_count = g.regions.data[block.region].argument_count;
    for (int a = 0; a < argument_count; ++a) pointers_[block.first_pointer + a] = const_cast<void*>(arguments[a]);
    if constexpr (block.places_results)
      for (int i = 0; i < block.yield_count; ++i) pointers_[block.first_pointer + argument_count + i] = results[i];
    run_steps<block.first_step>(std::make_integer_sequence<int, block.last_step - block.first_step>());
    give_results<block.first_yield, block.places_results ? block.first_pointer + argument_count : -1>(
        results, std::make_integer_sequence<int, block.yield_count>());
  }
  template <int First, int... S>
  HWY_INLINE void run_steps(std::integer_sequence<int, S...>) {
    (run_step_at<First + S>(), ...);
  }
  // `Pointer`: the first of those to where results are wanted, if they may lie there already.
  template <int First, int Pointer, int... I>
  HWY_INLINE void give_results(void* const* results, std::integer_sequence<int, I...>) {
    (give_result<p.values.data[First + I], (Pointer < 0 ? -1 : Pointer + I)>(results[I]), ...);
  }
  template <int Value, int Pointer>
  HWY_INLINE void give_result(void* to) const {
    if constexpr (Value < 0) {
      fill(to, ~Value);
    } else if constexpr (constexpr place at = p.places.data[Value];
                         Pointer < 0 || at.base != Pointer || at.offset != 0) {
      if (const char* const from = address<Value>(); from != to) copy_value(to, from, g.type_of_value(Value));
    }
  }

  // Whether anybody reads what a step gives, rather than count along.
  template <int S>
  static constexpr bool is_read() {
    constexpr const plan_step& step = p.steps.data[S];
    if constexpr (step.result_count != 1) {
      return true;
    } else {
      constexpr int value = p.values.data[step.first + step.operand_count];
      constexpr bool is_counted = [] {
        ints multiples;
        return detail::counted_value(g, value, multiples);
      }();
      if constexpr (!is_counted)
        return true;
      else
        return is_value_read<value>(std::make_integer_sequence<int, g.nodes.size>());
    }
  }
  template <int Value, int... N>
  static constexpr bool is_value_read(std::integer_sequence<int, N...>) {
    for (const graph_region& region : g.regions)
      for (int yielded : g.yields_of(region))
        if (root_of(g, yielded) == root_of(g, Value)) return true;
    return (is_read_by<N>(Value) || ...);
  }
  template <int N>
  static constexpr bool is_read_by(int value) {
    constexpr const graph_node& node = g.nodes.data[N];
    if (tenon::facts_of(node.kind).is_view) return false;
    for (int i = 0; i < node.operand_count; ++i)
      if (root_of(g, g.operands_of(node)[i]) == root_of(g, value) && !counts_operand<Program, N>(i)) return true;
    return false;
  }

  template <int S>
  static void run_step_of(plan_executor& self) {
    static_cast<unrolled_executor&>(self).template run_step_at<S>();
  }
  template <int S>
  static constexpr step_code code_of_step() {
    if constexpr (Program::chosen.step[S])
      return &run_step_of<S>;
    else
      return nullptr;
  }
  template <int... S>
  static constexpr auto codes_of_steps(std::integer_sequence<int, S...>) {
    struct {
      step_code at[sizeof...(S) + 1];
    } all{{code_of_step<S>()..., nullptr}};
    return all;
  }
  static constexpr auto all_codes_ = codes_of_steps(std::make_integer_sequence<int, p.steps.size>());
  static constexpr const step_code* all_codes = all_codes_.at;

  template <int S>
  HWY_INLINE void run_step_at() {
    constexpr const plan_step& step = p.steps.data[S];
    if constexpr (!Program::chosen.step[S]) {
      if constexpr (!step.is_fused_producer) run_step(step);
    } else if constexpr (step.is_fused_producer || !is_read<S>()) {
      return;
    } else if constexpr (step.parts > 0) {
      run_step(step);
    } else {
      if constexpr (step.has_op()) run_op_at<S>();
      if constexpr (step.has_group()) run_group_at<S>();
    }
  }

  template <int S>
  HWY_INLINE void run_group_at() {
    constexpr const plan_step& step = p.steps.data[S];
    constexpr group_loop loop = Program::loops.at[S];
    if constexpr (loop.run != nullptr && step.count < least_shared_elements)
      Program::template loop_of_step<S>::run(pointers_, 0, loop.count, scratch_of<S>() + step.tile_offset);
    else
      run_group(step);
  }
  template <int S>
  HWY_INLINE char* scratch_of() const {
    constexpr place at = p.steps.data[S].scratch;
    if constexpr (at.base < 0)
      return nullptr;
    else
      return pointer<at.base>() + at.offset;
  }

  template <int S>
  struct call_at {
    static constexpr const plan_step& step = p.steps.data[S];
    static constexpr const graph_node& node = g.nodes.data[step.node];
    using op = op_of_kind<node.kind>;
    static constexpr int operand_count = node.operand_count, result_count = node.result_count;
    static constexpr int total = operand_count + result_count;

    static constexpr int value(int i) {
      return i >= operand_count ? node.results + i - operand_count : p.values.data[step.first + step.read_count + i];
    }
    static constexpr linked_call linked = Program::links.steps[S];
    static constexpr list<tensor_type> operand_types() {
      return {Program::links.types + linked.first_type, operand_count};
    }

    // The product of small matrices that the op is, if it is one.
    using element = element_t<operand_types().data[0].element == dtype::f64 ? dtype::f64 : dtype::f32>;
    static constexpr fixed_matrices product = [] {
      if constexpr (requires { op{}.product(operand_types(), nullptr, list<ints>()); }) {
        list<ints> strides;
        if constexpr (linked.first_strides >= 0)
          strides = {Program::links.strides + linked.first_strides, operand_count};
        if (operand_types().data[0].element == dtype_of<element> &&
            operand_types().data[1].element == dtype_of<element> &&
            operand_types().data[operand_count].element == dtype_of<element>)
          return fixed_matrices_of(
              read_attributes<op>(g.words.data + node.words).product(operand_types(), nullptr, strides));
      }
      return fixed_matrices{};
    }();
  };
  template <int S>
  using product_of_step = fixed_product<typename call_at<S>::element, call_at<S>>;

  template <int S>
  HWY_INLINE void run_op_at() {
    constexpr const plan_step& step = p.steps.data[S];
    if constexpr (step.kernel < 0) {
      run_op(step);
    } else if constexpr (g.nodes.data[step.node].region_count > 0) {
      if constexpr (register_code<unrolled_executor, step.node>::is_supported())
        register_code<unrolled_executor, step.node>::run(*this);
      else
        call_kernel<S>(std::make_integer_sequence<int, call_at<S>::total>());
    } else if constexpr (product_of_step<S>::is_supported()) {
      using T = typename call_at<S>::element;
      product_of_step<S>::run(static_cast<const T*>(start_of<S, 0>()), static_cast<const T*>(start_of<S, 1>()),
                              static_cast<T*>(start_of<S, 2>()), scratch_of<S>());
    } else {
      call_kernel<S>(std::make_integer_sequence<int, call_at<S>::total>());
    }
  }

  template <int S, int I>
  HWY_INLINE void* start_of() const {
    constexpr place at = Program::links.places[call_at<S>::linked.first_place + I];
    if constexpr (at.base < 0)
      return nullptr;
    else
      return pointer<at.base>() + at.offset;
  }

  template <int S, int... I>
  HWY_INLINE void call_kernel(std::integer_sequence<int, I...>) {
    using call = call_at<S>;
    void* pointers[] = {start_of<S, I>()..., nullptr};
    evaluation e = Program::links.call(g, call::step, call::linked, pointers);
    const region_call regions{this, &call::step};
    if constexpr (call::node.region_count > 0) {
      if constexpr (p.kernels.data[call::step.kernel].body < 0) e.compiled = compiled_regions<S>.at;
      e.run_region = &run_region_of<S>;
      e.find_code = &find_code;
      e.prepare_region = &prepare_region;
      e.gives_in_place = &gives_in_place;
      e.region_context = &regions;
    }
    e.process = options_.process;
    e.random = &random_;
    e.helpers = &options_.workers;
    e.scratch = call::step.op_scratch_bytes > 0 ? scratch_of<S>() : nullptr;
    constexpr kernel run = Program::kernels.at[call::step.kernel];
    run(e);
  }

  template <int S, int... R>
  static constexpr auto compile_regions(std::integer_sequence<int, R...>) {
    constexpr const graph_node& node = call_at<S>::node;
    struct {
      compiled_region at[sizeof...(R) + 1];
    } all{{compiled_region_of<Program, p.steps.data[S].node, g.region_references.data[node.regions + R]>()...,
           compiled_region{}}};
    return all;
  }
  template <int S>
  static constexpr auto compiled_regions =
      compile_regions<S>(std::make_integer_sequence<int, call_at<S>::node.region_count>());

  template <int S, int R>
  static void run_block_of(plan_executor& self, const void* const* arguments, void* const* results) {
    constexpr int block = p.block_references.data[p.steps.data[S].first_block + R];
    if constexpr (block >= 0) static_cast<unrolled_executor&>(self).template run_block<block>(arguments, results);
  }
  template <int S>
  static void run_region_of(const void* context, int region, const void* const* arguments, void* const* results) {
    [&]<int... R>(std::integer_sequence<int, R...>) {
      plan_executor& self = *static_cast<const region_call*>(context)->self;
      ((region == R ? run_block_of<S, R>(self, arguments, results) : void()), ...);
    }(std::make_integer_sequence<int, call_at<S>::node.region_count>());
  }
};

}  // namespace tenon
