// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/facts.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/kernels/elementwise.hpp>
#include <tenon/run/constant_number.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

// An op with regions that says how they are run on values in variables: `on_values`.
template <class Op>
inline constexpr bool runs_on_values = [] {
  if constexpr (complete<Op>)
    return requires { Op::runs_on_values; };
  else
    return false;
}();

template <class Op, dtype T, dtype R, int Count>
constexpr bool serves_numbers() {
  if constexpr (has_element<Op>)
    return element_arity<Op, element_t<T>, element_t<R>>() == Count;
  else
    return false;
}

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
HWY_INLINE kept<R> apply_to_numbers(const Op& self, const E&... x) {
  if constexpr ((std::is_same_v<T, f32> || std::is_same_v<T, f64>) &&
                lanes_serve<Op, T, R>(std::index_sequence_for<E...>())) {
    const hn::CappedTag<T, 1> d;
    const auto lane_of = [d]<class V>(const V& value) HWY_ATTR {
      if constexpr (std::is_same_v<V, bool>)
        return hn::FirstN(d, value ? 1 : 0);
      else if constexpr (std::is_same_v<V, T>)
        return hn::Set(d, value);
      else
        return value;
    };
    const auto result = lanes_of_op<R>(self, d, lane_of(x)...);
    if constexpr (std::is_same_v<R, bool>)
      return hn::AllTrue(d, result);
    else if constexpr (is_kept_in_lane<R>)
      return tenon::rounded(result);
    else
      return hn::GetLane(tenon::rounded(result));
  } else {
    return kept_number(tenon::rounded(R(element_of_op<Op, R>(self, number_of(x)...))));
  }
}

}  // namespace detail

// A node whose operands, results and regions deal with single numbers only, as code over variables: what a compiler
// would make of the same loops and branches written by hand. `Source` has the constants `opened_graph` and
// `opened_plan`.
template <class Source, int Node>
class scalar_code {
  static constexpr const graph& g = Source::opened_graph;
  static constexpr const plan& p = Source::opened_plan;
  static constexpr int most_nodes = 64;

  static constexpr bool is_number(int value) {
    const tensor_type& type = g.type_of_value(value);
    return type.is_tensor() && !type.is_quantized() && type.bounded == 0 && type.size() == 1 &&
           detail::is_plain_number(type.element);
  }
  static constexpr bool are_numbers(const graph_node& node) {
    for (int value : g.operands_of(node))
      if (!is_number(value)) return false;
    for (int i = 0; i < node.result_count; ++i)
      if (!is_number(node.results + i)) return false;
    return node.result_count > 0;
  }
  static constexpr const graph_node& node_at(int n) { return g.nodes.data[n]; }
  static constexpr dtype element_of_value(int value) { return g.type_of_value(value).element; }
  template <int Value>
  using type_of_value = element_t<element_of_value(Value)>;
  template <int N>
  using op_of = op_of_kind<node_at(N).kind>;
  static constexpr bool is_constant(int n) { return n >= 0 && node_at(n).kind == kind_of_op<ops::constant>; }

  static constexpr dtype key_of(int n) { return detail::key_of_node(g, node_at(n)); }

  // The nodes of the regions of this one, and of those nested in them, stand in front of it.
  static constexpr int first_node = [] {
    int first = Node;
    for (int region : g.regions_of(node_at(Node)))
      if (g.regions.data[region].first < first) first = g.regions.data[region].first;
    return first;
  }();
  static constexpr int first_region_value = g.regions.data[g.regions_of(node_at(Node))[0]].arguments;

  template <int N>
  static constexpr bool serves_node() {
    if constexpr (node_at(N).kind < 0 || !are_numbers(node_at(N))) {
      return false;
    } else if constexpr (is_constant(N) || facts_of(node_at(N).kind).is_view) {
      return true;
    } else if constexpr (detail::runs_on_values<op_of<N>>) {
      for (int region : g.regions_of(node_at(N))) {
        const graph_region& inner = g.regions.data[region];
        for (int a = 0; a < inner.argument_count; ++a)
          if (!is_number(inner.arguments + a)) return false;
        for (int value : g.yields_of(inner))
          if (!is_number(value)) return false;
      }
      return true;
    } else {
      return detail::serves_numbers<op_of<N>, key_of(N), element_of_value(node_at(N).results),
                                    node_at(N).operand_count>();
    }
  }
  template <int... N>
  static constexpr bool serves_nodes(std::integer_sequence<int, N...>) {
    return (serves_node<first_node + N>() && ...);
  }

  static constexpr int last_value = node_at(Node).results + node_at(Node).result_count;

 public:
  static constexpr bool serves() {
    if constexpr (!detail::runs_on_values<op_of<Node>>)
      return false;
    else if constexpr (Node - first_node > most_nodes || last_value - first_region_value > 2 * most_nodes)
      return false;
    else
      return serves_nodes(std::make_integer_sequence<int, Node + 1 - first_node>()) && knows_captured();
  }

  // `pointers`: the executor's. Values from outside are read where they lie, results are written there.
  static void run(void* const* pointers) {
    execution code{pointers, {}};
    code.template run_node<Node>();
    code.store_results(std::make_integer_sequence<int, node_at(Node).result_count>());
  }

 private:
  static constexpr bool knows_captured() {
    for (int n = first_node; n <= Node; ++n) {
      for (int value : g.operands_of(node_at(n)))
        if (!is_known(value)) return false;
      for (int region : g.regions_of(node_at(n)))
        for (int value : g.yields_of(g.regions.data[region]))
          if (!is_known(value)) return false;
    }
    return true;
  }
  static constexpr bool is_known(int value) {
    return is_number(value) &&
           (value >= first_region_value || is_constant(g.values.data[value].node) || p.places.data[value].base >= 0);
  }

  template <int Value>
  struct variable {
    detail::kept<type_of_value<Value>> at{};
  };
  template <class>
  struct variables;
  template <int... I>
  struct variables<std::integer_sequence<int, I...>> : variable<first_region_value + I>... {};

  struct execution {
    void* const* pointers;
    // One for each value of the regions and each result.
    variables<std::make_integer_sequence<int, last_value - first_region_value>> kept;

    template <int Value>
    HWY_INLINE auto& variable_of() {
      return static_cast<variable<Value>&>(kept).at;
    }
    template <int Value>
    HWY_INLINE detail::kept<type_of_value<Value>> read() {
      constexpr int node = g.values.data[Value].node;
      if constexpr (is_constant(node))
        return detail::kept_number(detail::constant_number<Source, Value>);
      else if constexpr (Value < first_region_value)
        return detail::kept_number(*static_cast<const type_of_value<Value>*>(address<Value>()));
      else
        return variable_of<Value>();
    }
    template <int Value>
    void* address() const {
      constexpr place at = p.places.data[Value];
      return static_cast<char*>(pointers[at.base]) + at.offset;
    }
    template <int... I>
    HWY_INLINE void store_results(std::integer_sequence<int, I...>) {
      constexpr int first = node_at(Node).results;
      ((*static_cast<type_of_value<first + I>*>(address<first + I>()) = detail::number_of(variable_of<first + I>())),
       ...);
    }

    static constexpr int operand(int n, int i) { return g.operands_of(node_at(n))[i]; }
    template <int N, int... I>
    HWY_INLINE auto read_operands(std::integer_sequence<int, I...>) {
      return std::tuple{read<operand(N, I)>()...};
    }
    template <int First, class Values, int... I>
    HWY_INLINE void assign(const Values& values, std::integer_sequence<int, I...>) {
      ((variable_of<First + I>() = std::get<I>(values)), ...);
    }

    template <int N>
    HWY_INLINE void run_node() {
      constexpr int operand_count = node_at(N).operand_count, results = node_at(N).results;
      constexpr std::make_integer_sequence<int, operand_count> operands;
      if constexpr (is_constant(N)) {
        return;
      } else if constexpr (facts_of(node_at(N).kind).is_view) {
        assign<results>(read_operands<N>(operands), std::make_integer_sequence<int, node_at(N).result_count>());
      } else if constexpr (detail::runs_on_values<op_of<N>>) {
        assign<results>(op_of<N>::on_values(regions<N>{*this}, read_operands<N>(operands)),
                        std::make_integer_sequence<int, node_at(N).result_count>());
      } else {
        constexpr op_of<N> self = read_attributes<op_of<N>>(g.words.data + node_at(N).words);
        variable_of<results>() = std::apply(
            [&](const auto&... x) HWY_ATTR {
              return detail::apply_to_numbers<op_of<N>, element_t<key_of(N)>, type_of_value<results>>(self, x...);
            },
            read_operands<N>(operands));
      }
    }

    // The regions of a node, to be run on values: region.run<0>(values) gives what it hands over, region.run_any(i)
    // does for a region that takes nothing.
    template <int N>
    struct regions {
      execution& code;

      template <int R, class Values = std::tuple<>>
      HWY_INLINE auto run(const Values& values = {}) const {
        return code.template run_region<g.region_references.data[node_at(N).regions + R]>(values);
      }
      template <int R, class Values>
      HWY_INLINE bool holds(const Values& values) const {
        return std::get<0>(run<R>(values));
      }
      template <int R = 0>
      HWY_INLINE auto run_any(int which) const {
        if constexpr (R + 1 < node_at(N).region_count)
          return which == R ? run<R>() : run_any<R + 1>(which);
        else
          return run<R>();
      }
    };
    template <int R, class Values>
    HWY_INLINE auto run_region(const Values& values) {
      constexpr graph_region region = g.regions.data[R];
      assign<region.arguments>(values, std::make_integer_sequence<int, region.argument_count>());
      run_nodes<R, region.first>(std::make_integer_sequence<int, region.last - region.first>());
      return read_yields<R>(std::make_integer_sequence<int, region.yield_count>());
    }
    template <int R, int First, int... N>
    HWY_INLINE void run_nodes(std::integer_sequence<int, N...>) {
      (run_node_of<R, First + N>(), ...);
    }
    template <int R, int N>
    HWY_INLINE void run_node_of() {
      if constexpr (node_at(N).region == R) run_node<N>();
    }
    template <int R, int... I>
    HWY_INLINE auto read_yields(std::integer_sequence<int, I...>) {
      return std::tuple{read<g.yields_of(g.regions.data[R])[I]>()...};
    }
  };
};

}  // namespace tenon
