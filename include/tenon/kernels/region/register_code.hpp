// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/value_bytes.hpp>
#include <tenon/kernels/elementwise.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>
#include <tenon/kernels/region/values_in_registers.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon::kernels {

// Floats are kept in a lane of a vector, for ops not to take them out and put them back.
template <class T>
inline constexpr bool is_kept_in_lane =
    (std::is_same_v<T, f32> || std::is_same_v<T, f64>) && has_lanes<T> && !HWY_HAVE_SCALABLE;
template <class T>
HWY_INLINE auto kept_number(const T& number) {
  if constexpr (is_kept_in_lane<T>)
    return hn::Set(hn::CappedTag<T, 1>(), number);
  else
    return number;
}
template <class T>
using kept = decltype(kept_number(T{}));
template <class V>
HWY_INLINE auto number_of(const V& value) {
  if constexpr (std::is_same_v<V, kept<f32>> || std::is_same_v<V, kept<f64>>) {
    if constexpr (std::is_arithmetic_v<V>)
      return value;
    else
      return hn::GetLane(value);
  } else {
    return value;
  }
}

// One element as the loops over many compute it: floats in the op's form for vectors, where it has one.
template <class Op, class T, class R, class... E>
HWY_INLINE kept<R> compute_element(const Op& self, const E&... x) {
  if constexpr ((std::is_same_v<T, f32> || std::is_same_v<T, f64>) &&
                lane_form_of<Op, T, R, int(sizeof...(E))> == lane_form::numbers) {
    const hn::CappedTag<T, 1> d;
    const auto lane_of = [d]<class V>(const V& value) HWY_ATTR {
      if constexpr (std::is_same_v<V, bool>)
        return hn::FirstN(d, value ? 1 : 0);
      else if constexpr (std::is_same_v<V, T>)
        return hn::Set(d, value);
      else
        return value;
    };
    const auto result = apply_op<Op, T, R>(given_attributes<Op>{self}, d, lane_of(x)...);
    if constexpr (std::is_same_v<R, bool>)
      return hn::AllTrue(d, result);
    else if constexpr (is_kept_in_lane<R>)
      return tenon::core::rounded(result);
    else
      return hn::GetLane(tenon::core::rounded(result));
  } else {
    return kept_number(tenon::core::rounded(R(element_of_op<Op, R>(self, number_of(x)...))));
  }
}

// The elements of a value.
template <class T, int Count>
struct registers {
  kept<T> at[std::size_t(Count)]{};
};

// A value that lies in memory while regions hand it on: where, and other memory of its size for the next one.
struct memory_value {
  void* now = nullptr;
  void* spare = nullptr;
};

// A loop or a branch as straight code: values of few elements stay in registers between ops and iterations, and all
// else is done in memory by the other code of the step. `Walker` is the unrolled_executor of the program, `Node` an op
// with regions that says what it does to values (`on_values`).
template <class Walker, int Node>
class register_code : public values_in_registers<typename Walker::program, Node> {
  using values = values_in_registers<typename Walker::program, Node>;
  using typename values::types_of_operands;
  using values::first_value;
  using values::g;
  using values::holds;
  using values::in_registers;
  using values::index_at;
  using values::is_in_memory;
  using values::is_splat_constant;
  using values::is_stored;
  using values::key_of;
  using values::most_folded;
  using values::node_at;
  using values::p;
  using values::position_of;
  using values::replaces_in_place;
  using values::root_of;
  using values::size_of;
  using values::type_at;
  using values::types_of;
  using values::value_count;
  template <int Value>
  using type_of_value = typename values::template type_of_value<Value>;
  template <int N>
  using op_of = typename values::template op_of<N>;

 public:
  static HWY_INLINE void run(Walker& walker) {
    execution code{walker, {}};
    code.template run_node<Node>();
    code.template store_results<node_at(Node).results>(std::make_integer_sequence<int, node_at(Node).result_count>());
  }

 private:
  template <int Value>
  using registers_of = registers<type_of_value<Value>, size_of(Value)>;
  template <int Value, bool IsHeld>
  struct variable {
    registers_of<Value> value;
  };
  template <int Value>
  struct variable<Value, false> {};
  template <class>
  struct variables;
  template <int... I>
  struct variables<std::integer_sequence<int, I...>>
      : variable<values_in_registers<typename Walker::program, Node>::first_value + I,
                 values_in_registers<typename Walker::program, Node>::in_registers.holds(
                     values_in_registers<typename Walker::program, Node>::first_value + I)>... {};

  struct execution {
    Walker& walker;
    variables<std::make_integer_sequence<int, value_count>> kept;

    template <int Value>
    HWY_INLINE auto& variable_of() {
      return static_cast<variable<Value, true>&>(kept).value;
    }
    template <int Value>
    HWY_INLINE type_of_value<Value>* memory_of() const {
      return reinterpret_cast<type_of_value<Value>*>(walker.template address<Value>());
    }

    // Element I of a value, wherever it is.
    template <int Value, index_t I>
    HWY_INLINE auto read() {
      return read_at<Value>(I);
    }
    // The element at a position that is known when the program runs.
    template <int Value>
    HWY_INLINE auto read_at(index_t position) {
      constexpr int root = root_of(Value);
      if constexpr (is_splat_constant(root))
        return kept_number(Walker::template constant<root>);
      else if constexpr (in_registers.holds(root))
        return variable_of<root>().at[position];
      else
        return kept_number(memory_of<root>()[position]);
    }

    template <int First, int... I>
    HWY_INLINE void store_results(std::integer_sequence<int, I...>) {
      (store<First + I>(), ...);
    }
    template <int Value>
    HWY_INLINE void store() {
      if constexpr (holds(Value) && is_stored(Value) && is_in_memory(Value))
        store_to<Value>(memory_of<Value>(), std::make_integer_sequence<int, size_of(Value)>());
    }
    template <int Value, int... I>
    HWY_INLINE void store_to(type_of_value<Value>* to, std::integer_sequence<int, I...>) {
      ((to[I] = number_of(variable_of<Value>().at[I])), ...);
    }

    template <int S>
    HWY_INLINE void run_step() {
      if constexpr (!in_registers.step[S]) {
        walker.template run_step_at<S>();
      } else {
        constexpr plan_step step = p.steps.data[S];
        if constexpr (step.has_op()) run_node<step.node>();
        run_members<S>(std::make_integer_sequence<int, step.member_count>());
        store_results_of<S>(std::make_integer_sequence<int, step.result_count>());
      }
    }
    template <int S, int... M>
    HWY_INLINE void run_members(std::integer_sequence<int, M...>) {
      (run_node<p.members.data[p.steps.data[S].first_member + M]>(), ...);
    }
    template <int S, int... R>
    HWY_INLINE void store_results_of(std::integer_sequence<int, R...>) {
      (store<p.values.data[p.steps.data[S].first + p.steps.data[S].operand_count + R]>(), ...);
    }

    static constexpr int operand(int n, int i) { return g.operands_of(node_at(n))[i]; }

    template <int N>
    HWY_INLINE void run_node() {
      constexpr graph_node node = node_at(N);
      if constexpr (facts_of(node.kind).runs_on_values)
        run_regions<N>(std::make_integer_sequence<int, node.operand_count>(),
                       std::make_integer_sequence<int, node.result_count>());
      else if constexpr (replaces_in_place(N))
        replace<N>(std::make_integer_sequence<int, size_of(operand(N, 1))>());
      else
        run_elements<N>(std::make_integer_sequence<int, size_of(node.results)>());
    }
    template <int N, int... I>
    HWY_INLINE void run_elements(std::integer_sequence<int, I...>) {
      constexpr graph_node node = node_at(N);
      auto& to = variable_of<node.results>().at;
      if constexpr (facts_of(node.kind).elementwise) {
        ((to[I] = compute<N, I>(std::make_integer_sequence<int, node.operand_count>())), ...);
      } else if constexpr (facts_of(node.kind).folds) {
        ((to[I] = fold<N, I>()), ...);
      } else if constexpr (facts_of(node.kind).moves) {
        ((to[I] = read<operand(N, values::template sources<N>.at[I].operand),
                       values::template sources<N>.at[I].position>()),
         ...);
      } else {
        ((to[I] = read_at<operand(N, 0)>(gathered_position<N, I>())), ...);
      }
    }

    template <int N, index_t I, int... K>
    HWY_INLINE auto compute(std::integer_sequence<int, K...>) {
      constexpr graph_node node = node_at(N);
      constexpr op_of<N> self = read_attributes<op_of<N>>(g.words.data + node.words);
      return compute_element<op_of<N>, element_t<key_of(N)>, type_of_value<node.results>>(
          self, read<operand(N, K), (size_of(operand(N, K)) == 1 ? 0 : I)>()...);
    }

    // Combines the elements that the map of the operand gives for one result, in the order of `kernels::fold`.
    template <int N, index_t I>
    HWY_INLINE auto fold() {
      constexpr graph_node node = node_at(N);
      using T = type_of_value<node.results>;
      using body = op_of_kind<body_of(g, node)>;
      constexpr auto found = [] {
        struct {
          index_t at[most_folded];
          int count = 0;
          bool is_row = true;
        } elements{};
        const indexing::indexing_map& reads = values::template map<N, 0>;
        const ints index = index_at(type_at(node_at(N).results).shape, I);
        const ints& shape = type_at(operand(N, 0)).shape;
        ints ranges;
        for (int r = 0; r < reads.range_count; ++r) ranges.push(reads.range_bounds[r].upper + 1);
        for (index_t k = 0; k < ranges.product() && k < most_folded; ++k) {
          elements.at[k] = position_of(shape, indexing::evaluate(reads, index, index_at(ranges, k)));
          elements.is_row = elements.is_row && elements.at[k] == elements.at[0] + k;
          elements.count++;
        }
        return elements;
      }();
      // Targets of more lanes fill no four vectors with as few elements.
      constexpr bool keeps_four = HWY_TARGET == HWY_SCALAR && found.is_row && found.count >= 4 &&
                                  kernels::fold<body, T, type_of_value<operand(N, 0)>>::vectorised;
      T total = number_of(read<operand(N, 1), 0>());
      [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        if constexpr (keeps_four) {
          T four[] = {T(number_of(read<operand(N, 0), found.at[K]>()))...};
          for (int k = 4; k < found.count; ++k) four[k % 4] = combine_elements<body>(four[k % 4], four[k]);
          for (int k : {1, 3}) four[k] = combine_elements<body>(four[k - 1], four[k]);
          total = combine_elements<body>(total, combine_elements<body>(four[1], four[3]));
        } else {
          ((total = combine_elements<body, T>(total, number_of(read<operand(N, 0), found.at[K]>()))), ...);
        }
      }(std::make_integer_sequence<int, found.count>());
      return kept_number(total);
    }

    // The value of runtime variable V of a map for result element I, kept within its bounds.
    template <int N, int Operand, int V, index_t I>
    HWY_INLINE index_t runtime_value() {
      static constexpr indexing::runtime_source from = [] {
        const types_of_operands types = types_of(node_at(N));
        return op_tables::sources[node_at(N).kind](g.words.data + node_at(N).words, V, types.all(),
                                                   type_at(node_at(N).results));
      }();
      static constexpr indexing::interval bounds = values::template map<N, Operand>.runtime_bounds[V];
      constexpr index_t position =
          position_of(type_at(operand(N, from.operand)).shape,
                      indexing::evaluate(from.element, index_at(type_at(node_at(N).results).shape, I)));
      const auto number = number_of(read<operand(N, from.operand), position>());
      if constexpr (std::is_same_v<decltype(number), const std::uint64_t>) {
        if (number > std::uint64_t(bounds.upper)) return bounds.upper;
      }
      const index_t value = index_t(number);
      return value < bounds.lower ? bounds.lower : value > bounds.upper ? bounds.upper : value;
    }
    // The value of node Id of the map of an operand.
    template <int N, int Operand, int Id, index_t I>
    HWY_INLINE index_t value_of_map() {
      static constexpr indexing::node step = values::template map<N, Operand>.nodes[Id];
      if constexpr (step.op == indexing::operation::constant)
        return step.value;
      else if constexpr (step.op == indexing::operation::dimension)
        return index_at(type_at(node_at(N).results).shape, I).at[step.value];
      else if constexpr (step.op == indexing::operation::runtime)
        return runtime_value<N, Operand, int(step.value), I>();
      else
        return indexing::apply(step.op, value_of_map<N, Operand, step.lhs, I>(),
                               value_of_map<N, Operand, step.rhs, I>());
    }
    template <int N, index_t I>
    HWY_INLINE index_t gathered_position() {
      return [&]<int... D>(std::integer_sequence<int, D...>) __attribute__((always_inline)) {
        constexpr ints strides = strides_of(type_at(operand(N, 0)).shape);
        return (index_t(0) + ... + (strides.at[D] * value_of_map<N, 0, values::template map<N, 0>.results[D], I>()));
      }(std::make_integer_sequence<int, type_at(operand(N, 0)).rank()>());
    }
    template <int N, int... U>
    HWY_INLINE void replace(std::integer_sequence<int, U...>) {
      constexpr int operand_value = operand(N, 0), update = operand(N, 1);
      constexpr ints strides = strides_of(type_at(operand_value).shape);
      // The map leads from the first result element to the update, backwards by where it begins.
      const index_t start = [&]<int... D>(std::integer_sequence<int, D...>) __attribute__((always_inline)) {
        return (index_t(0) - ... - (strides.at[D] * value_of_map<N, 1, values::template map<N, 1>.results[D], 0>()));
      }(std::make_integer_sequence<int, type_at(operand_value).rank()>());
      type_of_value<operand_value>* const to = memory_of<node_at(N).results>() + start;
      ((to[position_in(strides, index_at(type_at(update).shape, U))] = number_of(read<update, U>())), ...);
    }
    static constexpr index_t position_in(const ints& strides, const ints& index) {
      index_t position = 0;
      for (int d = 0; d < index.size; ++d) position += strides.at[d] * index.at[d];
      return position;
    }

    // Operand I as the regions take it: in registers, or a copy where result I will lie.
    template <int N, int I>
    HWY_INLINE auto initial_value() {
      constexpr int value = operand(N, I);
      if constexpr (!facts_of(node_at(N).kind).carries_in_place || in_registers.holds(node_at(N).results + I)) {
        return in_registers_of<value>(std::make_integer_sequence<int, size_of(value)>());
      } else {
        memory_value result{walker.template address<node_at(N).results + I>(), spare_of<N, I>()};
        if (const char* const from = walker.template address<value>(); from != result.now)
          walker.template copy_value<value>(result.now, from);
        return result;
      }
    }
    template <int Value, int... I>
    HWY_INLINE auto in_registers_of(std::integer_sequence<int, I...>) {
      return registers_of<Value>{{read<Value, I>()...}};
    }
    // A part of the scratch memory of a loop, which has room for each of its values.
    template <int N, int I>
    HWY_INLINE char* spare_of() const {
      constexpr index_t offset = [] {
        index_t bytes = value_alignment + aligned(2 * node_at(N).operand_count * index_t(sizeof(void*)));
        for (int i = 0; i < I; ++i) bytes += aligned(value_bytes(type_at(operand(N, i)), &g));
        return bytes;
      }();
      return walker.template scratch_of<step_of(N)>() + offset;
    }
    static constexpr int step_of(int n) {
      for (int s = 0; s < p.steps.size; ++s)
        if (p.steps.data[s].has_op() && p.steps.data[s].node == n) return s;
      return -1;
    }

    template <int N, int... I, int... R>
    HWY_INLINE void run_regions(std::integer_sequence<int, I...>, std::integer_sequence<int, R...>) {
      const auto given = op_of<N>::on_values(regions<N>{*this}, std::tuple{initial_value<N, I>()...});
      (take_result<N, R>(std::get<std::size_t(R)>(given)), ...);
    }
    template <int N, int R, class Given>
    HWY_INLINE void take_result(const Given& given) {
      constexpr int value = node_at(N).results + R;
      if constexpr (std::is_same_v<Given, memory_value>) {
        if (char* const to = walker.template address<value>(); given.now != to)
          walker.template copy_value<value>(to, given.now);
      } else {
        assign<value>(given, std::make_integer_sequence<int, size_of(value)>());
      }
    }
    template <int Value, class Given, int... I>
    HWY_INLINE void assign(const Given& given, std::integer_sequence<int, I...>) {
      ((variable_of<Value>().at[I] = given.at[I]), ...);
    }

    // The regions of a node, to be run on values: region.run<0>(values) gives what it hands over, region.run_any(i)
    // does for a region that takes nothing.
    template <int N>
    struct regions {
      execution& code;

      template <int R, class Values = std::tuple<>>
      HWY_INLINE auto run(const Values& values = {}) const {
        return code.template run_region<N, R>(values);
      }
      // The number that a region gives, or that the op was given.
      template <class Values>
      static HWY_INLINE auto number(const Values& values) {
        return std::get<0>(values).at[0];
      }
      template <int R, class Values>
      HWY_INLINE bool holds(const Values& values) const {
        return number(run<R>(values));
      }
      template <int R = 0>
      HWY_INLINE auto run_any(int which) const {
        if constexpr (R + 1 < node_at(N).region_count) {
          if (which != R) return run_any<R + 1>(which);
        }
        return run<R>();
      }
    };

    template <int N, int R, class Values>
    HWY_INLINE auto run_region(const Values& values) {
      constexpr int id = g.region_references.data[node_at(N).regions + R];
      constexpr graph_region region = g.regions.data[id];
      constexpr int block = block_of(id);
      constexpr int first_step = p.blocks.data[block].first_step, steps = p.blocks.data[block].last_step - first_step;
      [&]<int... A>(std::integer_sequence<int, A...>) __attribute__((always_inline)) {
        (take_argument<N, block, A>(std::get<std::size_t(A)>(values)), ...);
      }(std::make_integer_sequence<int, region.argument_count>());
      if constexpr (p.blocks.data[block].places_results)
        [&]<int... Y>(std::integer_sequence<int, Y...>) __attribute__((always_inline)) {
          ((walker.pointers_[p.blocks.data[block].first_pointer + region.argument_count + Y] =
                wanted_at<N, block, Y>(values)),
           ...);
        }(std::make_integer_sequence<int, region.yield_count>());
      [&]<int... S>(std::integer_sequence<int, S...>) __attribute__((always_inline)) {
        (run_step<first_step + S>(), ...);
      }(std::make_integer_sequence<int, steps>());
      return [&]<int... Y>(std::integer_sequence<int, Y...>) __attribute__((always_inline)) {
        return std::tuple{yielded<N, block, Y>(values)...};
      }(std::make_integer_sequence<int, region.yield_count>());
    }
    static constexpr int block_of(int region) {
      for (int b = 0; b < p.blocks.size; ++b)
        if (p.blocks.data[b].region == region) return b;
      return -1;
    }
    template <int N, int Block, int A, class Given>
    HWY_INLINE void take_argument(const Given& given) {
      constexpr plan_block block = p.blocks.data[Block];
      constexpr int value = g.regions.data[block.region].arguments + A;
      if constexpr (std::is_same_v<Given, memory_value>) {
        walker.pointers_[block.first_pointer + A] = given.now;
      } else {
        assign<value>(given, std::make_integer_sequence<int, size_of(value)>());
        // Who reads it from memory finds it where the result will lie.
        walker.pointers_[block.first_pointer + A] = walker.template address<node_at(N).results + A>();
        store<value>();
      }
    }
    // Whether a block says if a loop goes on.
    template <int N, int Block>
    static constexpr bool is_condition =
        facts_of(node_at(N).kind).carries_in_place && !p.blocks.data[Block].carries_in_place;
    // Where the code in memory puts result Y of a region.
    template <int N, int Block, int Y, class Values>
    HWY_INLINE void* wanted_at(const Values& values) const {
      if constexpr (is_condition<N, Block>) {
        return walker.template scratch_of<step_of(N)>();
      } else if constexpr (!facts_of(node_at(N).kind).carries_in_place) {
        return walker.template address<node_at(N).results + Y>();
      } else if constexpr (std::is_same_v<std::tuple_element_t<std::size_t(Y), Values>, memory_value>) {
        return std::get<std::size_t(Y)>(values).spare;
      } else {
        return spare_of<N, Y>();
      }
    }
    template <int N, int Block, int Y, class Values>
    HWY_INLINE auto yielded(const Values& values) {
      constexpr plan_block block = p.blocks.data[Block];
      constexpr int value = g.yields_of(g.regions.data[block.region])[Y],
                    written = p.values.data[block.first_yield + Y];
      if constexpr (is_condition<N, Block>) {
        return in_registers_of<value>(std::make_integer_sequence<int, 1>());
      } else if constexpr (in_registers.holds(node_at(N).results + Y)) {
        return in_registers_of<value>(std::make_integer_sequence<int, size_of(value)>());
      } else {
        constexpr int first = block.first_pointer, arguments = g.regions.data[block.region].argument_count;
        constexpr place at = written < 0 ? place{} : p.places.data[written];
        // The body writes over its argument, or beside it.
        if constexpr (block.carries_in_place && at.base == first + Y && at.offset == 0) {
          return std::get<std::size_t(Y)>(values);
        } else {
          void* const to = wanted_at<N, Block, Y>(values);
          walker.template give_result<written, (block.places_results ? first + arguments + Y : -1)>(to);
          if constexpr (block.carries_in_place)
            return memory_value{to, std::get<std::size_t(Y)>(values).now};
          else
            return memory_value{to, nullptr};
        }
      }
    }
  };
};

}  // namespace tenon::kernels
