// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/views.hpp>
#include <tenon/kernels/fixed_product.hpp>
#include <tenon/kernels/group/pointwise_loop.hpp>
#include <tenon/kernels/region/compile_region.hpp>
#include <tenon/kernels/region/register_code.hpp>
#include <tenon/run/execute.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon::execution {

template <class T, std::size_t Count>
struct constant_list {
  T at[Count];
};

// Which steps of a program are run without a look at graph or plan.
template <class Program>
class straight_steps {
  static constexpr const graph& g = Program::opened_graph;
  static constexpr const plan& p = Program::opened_plan;

  static constexpr int node_with_regions(int s) {
    const plan_step& step = p.steps.data[s];
    return step.kernel >= 0 && g.nodes.data[step.node].region_count > 0 ? step.node : -1;
  }
  // Within the code of a node with regions, whose values stay in registers.
  template <int Node>
  static constexpr bool runs_within(int s) {
    if constexpr (Node >= 0)
      if constexpr (values_in_registers<Program, Node>::is_supported())
        return p.steps.data[s].node == Node || values_in_registers<Program, Node>::computes(s);
    return false;
  }
  // Names are looked up in the graph; an op of a foreign dialect is one.
  template <int Node>
  static constexpr bool has_names() {
    bool found = false;
    if constexpr (Node >= 0 && g.nodes.data[Node].kind < 0) {
      found = true;
    } else if constexpr (Node >= 0) {
      const op_of_kind<g.nodes.data[Node].kind> op;
      for_each_attribute(op, [&]<class T>(std::string_view, const T&) { found = found || std::is_same_v<T, name_id>; });
    }
    return found;
  }
  // Whether the kernel of a step folds by a region that has loops of its own, and nobody divides the work.
  template <int S>
  static constexpr bool folds_by_own_loops() {
    if constexpr (constexpr int n = node_with_regions(S); n >= 0) {
      using op = op_of_kind<g.nodes.data[n].kind>;
      using code = region_loops<Program, g.region_references.data[g.nodes.data[n].regions]>;
      if constexpr ((folds_axes<op> || folds_windows<op>) && code::is_supported()) {
        void* nowhere[g.nodes.data[n].operand_count + 1]{};
        const evaluation e = Program::links.call(g, p.steps.data[S], Program::links.steps[S], nowhere);
        return code::is_scalar() && body_fold<>::takes(e) && !is_large(e.operand_types);
      }
    }
    return false;
  }
  template <int S>
  static constexpr bool is_straight() {
    constexpr plan_step step = p.steps.data[S];
    if (step.parts > 0 || step.kernel < -1) return false;
    if (node_with_regions(S) >= 0 && p.kernels.data[step.kernel].body < 0 && !folds_by_own_loops<S>()) return false;
    return !step.has_group() || Program::template has_loop<S>();
  }
  template <int... S>
  static constexpr int first_kept(std::integer_sequence<int, S...>) {
    constexpr bool named[] = {has_names<p.steps.data[S].node>()..., false};
    constexpr bool straight[] = {is_straight<S>()..., false};
    for (int s = 0; s < p.steps.size; ++s)
      if (named[s] || (!straight[s] && !(runs_within<node_with_regions(S)>(s) || ...))) return s;
    return -1;
  }

 public:
  // The first step for which the program keeps its tables, or the first of all if these are for all; -1: it has none.
  static constexpr int first_kept() {
    if constexpr (Program::chosen.main && g.quantizations.size == 0 && g.member_lists.size == 0)
      return first_kept(std::make_integer_sequence<int, p.steps.size>());
    else
      return p.blocks.data[p.main_block].first_step;
  }
};

// Whether all of a program is straight code, so that neither its graph nor its plan stays in it.
template <class Program>
inline constexpr bool is_straight_program = straight_steps<Program>::first_kept() < 0;

// The state of such a program while it runs.
template <class Program>
class straight_executor {
 public:
  straight_executor(const void* constants, void* memory, const run_options& options)
      : pointers_(reinterpret_cast<void**>(static_cast<char*>(memory) + Program::opened_plan.pointer_table)),
        options_(options) {
    pointers_[place::arena] = memory;
    pointers_[place::constants] = const_cast<void*>(constants);
  }

 protected:
  void** pointers_;
  const run_options& options_;
  random_source random_;
};

// Walks a plan of few steps that is known while compiling: the steps stand one behind the other as calls of known
// functions on known places, so that a compiler sees through them. `Program` has the constants `opened_graph`,
// `opened_plan`, `kernels` and `loops`, and `loop_of_step`.
template <class Program>
class unrolled_executor
    : public std::conditional_t<is_straight_program<Program>, straight_executor<Program>, plan_executor> {
  static constexpr bool is_straight = is_straight_program<Program>;
  using base = std::conditional_t<is_straight, straight_executor<Program>, plan_executor>;
  template <class, int>
  friend class kernels::register_code;
  using base::options_;
  using base::pointers_;
  using base::random_;
  static constexpr const graph& g = Program::opened_graph;
  static constexpr const plan& p = Program::opened_plan;

 public:
  using base::base;
  using program = Program;
  template <int Value>
  static constexpr auto constant = Program::template constant<Value>;

  HWY_INLINE void operator()(const void* const* arguments, void* const* results) {
    arguments_ = arguments, results_ = results;
    if constexpr (Program::chosen.main) {
      random_ = {options_.seed, 0};
      run_block<p.main_block>(arguments, results);
    } else {
      static constexpr auto codes = codes_of_steps(std::make_integer_sequence<int, p.steps.size>());
      this->codes_ = codes.at;
      base::operator()(arguments, results);
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
      constexpr tensor_type type = g.type_of_value(~Value);
      using bytes = bytes_like<element_t<type.element>>;
      if constexpr (constexpr index_t count = type.size(); count > 0)
        fill_row(static_cast<bytes*>(to), *reinterpret_cast<const bytes*>(address<~Value>()), count);
    } else if constexpr (constexpr place at = p.places.data[Value];
                         Pointer < 0 || at.base != Pointer || at.offset != 0) {
      if (const char* const from = address<Value>(); from != to) copy_value<Value>(to, from);
    }
  }
  template <int Value>
  static void copy_value(void* to, const void* from) {
    if constexpr (constexpr index_t bytes = value_bytes(g.type_of_value(Value), &g); bytes > 0)
      std::memmove(to, from, std::size_t(bytes));
  }

  // Whether anybody reads what a step gives, rather than count along.
  template <int S>
  static constexpr bool is_read() {
    constexpr int counted = [] {
      const plan_step& step = p.steps.data[S];
      ints multiples;
      const int value = step.result_count == 1 ? p.values.data[step.first + step.operand_count] : -1;
      return value >= 0 && kernels::counted_value(g, value, multiples) ? value : -1;
    }();
    if constexpr (counted < 0)
      return true;
    else
      return is_value_read<counted>(std::make_integer_sequence<int, g.nodes.size>());
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
    if (tenon::ir::facts_of(node.kind).is_view) return false;
    for (int i = 0; i < node.operand_count; ++i)
      if (root_of(g, g.operands_of(node)[i]) == root_of(g, value) && !counts_operand<Program, N>(i)) return true;
    return false;
  }

  template <int S>
  static constexpr auto code_of_step() -> void (*)(plan_executor&) {
    if constexpr (Program::chosen.step[S])
      return [](plan_executor& self) { static_cast<unrolled_executor&>(self).template run_step_at<S>(); };
    else
      return nullptr;
  }
  template <int... S>
  static constexpr auto codes_of_steps(std::integer_sequence<int, S...>) {
    return constant_list<void (*)(plan_executor&), sizeof...(S) + 1>{{code_of_step<S>()..., nullptr}};
  }

  template <int S>
  HWY_INLINE void run_step_at() {
    constexpr const plan_step& step = p.steps.data[S];
    if constexpr (!Program::chosen.step[S]) {
      if constexpr (!step.is_fused_producer) this->run_step(step);
    } else if constexpr (step.is_fused_producer || !is_read<S>()) {
      return;
    } else if constexpr (step.parts > 0 || (step.has_epilogue() && !is_straight)) {
      this->run_step(step);
    } else {
      if constexpr (step.has_op()) run_op_at<S>();
      if constexpr (step.has_group() && !step.has_epilogue()) run_group_at<S>();
    }
  }

  template <int S>
  HWY_INLINE void run_group_at() {
    constexpr plan_step step = p.steps.data[S];
    constexpr group_loop loop = Program::loops.at[S];
    if constexpr (loop && step.count < tuning::least_shared_elements)
      Program::template loop_of_step<S>::run({pointers_}, 0, loop.count, scratch_of<S>() + step.tile_offset);
    else if constexpr (bool(loop))
      run_loop(loop, step.count, pointers_, scratch_of<S>() + step.tile_offset, step.tile_bytes, options_.workers);
    else
      this->run_group(p.steps.data[S]);
  }
  template <int S>
  HWY_INLINE char* scratch_of() const {
    constexpr place at = p.steps.data[S].scratch;
    if constexpr (at.base < 0)
      return nullptr;
    else
      return pointer<at.base>() + at.offset;
  }

  // Entries of what a program knows of its calls, in static memory of their own, so that no tables are linked.
  static constexpr std::tuple<const index_t*, const tensor_type*, const ints*> known{g.words.data, Program::links.types,
                                                                                     Program::links.strides};
  template <class T, int First, int Count>
  static constexpr auto copied = [] {
    constant_list<T, std::size_t(Count > 0 ? Count : 1)> result{};
    for (int i = 0; i < Count; ++i) result.at[i] = std::get<const T*>(known)[First + i];
    return result;
  }();
  // The attributes of an op, or of one in front of it that has the same.
  static constexpr int words_of(const graph_node& node) {
    for (int n = 0;; ++n)
      if (g.nodes.data[n].kind == node.kind && g.words_of(g.nodes.data[n]) == g.words_of(node))
        return g.nodes.data[n].words;
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
    static constexpr list<tensor_type> operand_types() { return {types.at, operand_count}; }
    static constexpr list<ints> operand_strides() {
      return linked.first_strides < 0 ? list<ints>() : list<ints>{strides.at, operand_count};
    }

    static constexpr joined_product joined = [] {
      if constexpr (linked.product >= 0)
        return Program::links.products[linked.product];
      else
        return joined_product();
    }();
    static constexpr const auto& types = copied<tensor_type, linked.first_type, total>;
    static constexpr const auto& strides =
        copied<ints, linked.first_strides, (linked.first_strides < 0 ? 0 : operand_count)>;

    static constexpr batch_dimensions batches = [] {
      const batch_dimensions found = batches_of<op>(g.words.data + node.words, operand_types());
      return is_large(operand_types()) || is_large({types.at + operand_count, result_count}) ? found
                                                                                             : batch_dimensions{};
    }();

    // The product of small matrices that the op is, if it is one.
    using element = element_t<operand_types().data[0].element == dtype::f64 ? dtype::f64 : dtype::f32>;
    static constexpr fixed_matrices product = [] {
      if constexpr (requires { op{}.product(operand_types(), nullptr, list<ints>()); }) {
        if (operand_types().data[0].element == dtype_of<element> &&
            operand_types().data[1].element == dtype_of<element> &&
            operand_types().data[operand_count].element == dtype_of<element>)
          return fixed_matrices_of(
              read_attributes<op>(g.words.data + node.words).product(operand_types(), nullptr, operand_strides()));
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
      this->run_op(step);
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
    evaluation e;
    e.operands = {const_cast<const void* const*>(pointers), call::operand_count};
    e.operand_types = call::operand_types();
    e.operand_strides = call::operand_strides();
    e.results = {pointers + call::operand_count, call::result_count};
    e.result_types = {call::types.at + call::operand_count, call::result_count};
    e.words = copied<index_t, words_of(call::node), call::node.word_count>.at;
    if constexpr (call::linked.product >= 0) e.product = &call::joined;
    if constexpr (!is_straight) e.details = &g;
    e.count = call::step.count;
    e.process = options_.process;
    e.random = &random_;
    e.helpers = &options_.workers;
    e.scratch = call::step.op_scratch_bytes > 0 ? scratch_of<S>() : nullptr;
    if constexpr (call::step.has_epilogue())
      e.epilogue = {[](const void* context, index_t first, index_t last) {
                      const auto& self = *static_cast<const unrolled_executor*>(context);
                      Program::template loop_of_step<S>::run({self.pointers_, first}, first, last,
                                                             self.template scratch_of<S>() + call::step.tile_offset);
                    },
                    this, call::step.range_bytes / index_t(storage_bytes(call::types.at[call::operand_count].element))};
    constexpr kernel run = Program::kernels.at[call::step.kernel];
    if constexpr (call::node.region_count > 0 && !is_straight) {
      const typename base::region_call regions{this, &call::step};
      e.regions = {Program::links.regions + call::linked.first_region, call::node.region_count};
      if constexpr (p.kernels.data[call::step.kernel].body < 0) e.compiled = compiled_regions<S>.at;
      e.run_region = &run_region_of<S>;
      e.find_lanes = &base::find_lanes;
      e.gives_in_place = &base::gives_in_place;
      e.region_context = &regions;
      run_divided(run, e, call::batches, call::step.op_scratch_bytes);
    } else if constexpr (call::node.region_count > 0 && p.kernels.data[call::step.kernel].body < 0) {
      e.compiled = compiled_regions<S>.at;
      run(e);
    } else if constexpr (call::batches.count > 0 && !call::step.has_epilogue()) {
      run_divided(run, e, call::batches, call::step.op_scratch_bytes);
    } else {
      run(e);
    }
  }
  template <int S, int... R>
  static constexpr auto compile_regions(std::integer_sequence<int, R...>) {
    constexpr const graph_node& node = call_at<S>::node;
    return constant_list<compiled_region, sizeof...(R) + 1>{
        {compiled_region_of<Program, p.steps.data[S].node, g.region_references.data[node.regions + R]>()...,
         compiled_region{}}};
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
      plan_executor& self = *static_cast<const typename base::region_call*>(context)->self;
      ((region == R ? run_block_of<S, R>(self, arguments, results) : void()), ...);
    }(std::make_integer_sequence<int, call_at<S>::node.region_count>());
  }
};

}  // namespace tenon::execution
