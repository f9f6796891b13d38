// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/views.hpp>
#include <tenon/kernels/group/nest_lanes.hpp>
#include <tenon/kernels/region/plain_numbers.hpp>
#include <tenon/kernels/table.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>

#include <type_traits>
#include <utility>

namespace tenon {

// A region of ops that work element by element, on arguments of one shape, as code over vectors that hold as many
// elements of each of its values: which regions have such code, and what it computes. The loops around it are in
// region_loops.hpp and window_lanes.hpp. `Source` has the constant `opened_graph` and the
// elements of its constants, `constant<Value>`.
template <class Source, int Region>
class region_lanes {
 protected:
  static constexpr const graph& g = Source::opened_graph;
  static constexpr graph_region region = g.regions.data[Region];
  static constexpr int argument_count = region.argument_count, yield_count = region.yield_count;
  static constexpr int most_nodes = 32;

  static constexpr dtype element_of_value(int value) { return g.type_of_value(value).element; }
  template <int Value>
  using type_of_value = element_t<element_of_value(Value)>;
  static constexpr const graph_node& node_at(int n) { return g.nodes.data[n]; }
  template <int N>
  using op_of = op_of_kind<node_at(N).kind>;
  static constexpr bool is_constant(int value) { return constant_of(g, value) != nullptr; }
  static constexpr bool is_uniform(int value) {
    const graph_literal& literal = g.literals.data[g.words.data[node_at(g.values.data[value].node).words]];
    return g.type_of_value(value).size() == 1 || (literal.where == graph_literal::place::words && literal.size == 1);
  }

  // The nodes in order, without constants.
  struct numbered {
    int at[most_nodes + 1]{};
    int count = 0;
  };
  static constexpr numbered nodes = [] {
    numbered all;
    for (int n = region.first; n < region.last && all.count <= most_nodes; ++n)
      if (node_at(n).region == Region && !tenon::is_constant(node_at(n))) {
        if (all.count < most_nodes) all.at[all.count] = n;
        ++all.count;
      }
    return all;
  }();

  // Where a value stands among the arguments and the results of nodes.
  static constexpr int position_of(int value) {
    if (region.arguments <= value && value < region.arguments + argument_count) return value - region.arguments;
    for (int i = 0; i < nodes.count; ++i)
      if (node_at(nodes.at[i]).results == value) return argument_count + i;
    return -1;
  }
  static constexpr bool is_known(int value) {
    const tensor_type& type = g.type_of_value(value);
    if (!type.is_tensor() || type.is_quantized() || type.bounded != 0 || !detail::is_plain_number(type.element))
      return false;
    if (is_constant(value)) return is_uniform(value);
    return type.shape == g.type_of_value(region.arguments).shape && position_of(value) >= 0;
  }

  // The first element type that is not a boolean; all such types have the same size.
  static constexpr dtype lane_element = [] {
    for (int a = 0; a < argument_count; ++a)
      if (element_of_value(region.arguments + a) != dtype::i1) return element_of_value(region.arguments + a);
    return dtype::i1;
  }();
  using lane = element_t<lane_element>;
  static constexpr bool fits_lanes(dtype element) {
    return element == dtype::i1 || storage_bytes(element) == storage_bytes(lane_element);
  }

  template <int N>
  static constexpr bool supports_node() {
    constexpr graph_node node = node_at(N);
    if constexpr (node.kind < 0 || node.result_count != 1 || node.region_count != 0 || node.operand_count == 0) {
      return false;
    } else {
      if (!is_known(node.results) || !fits_lanes(element_of_value(node.results))) return false;
      for (int value : g.operands_of(node))
        if (!is_known(value) || !fits_lanes(element_of_value(value))) return false;
      return is_supported_op<N>();
    }
  }
  template <int N>
  static constexpr bool is_supported_op() {
    constexpr graph_node node = node_at(N);
    using T = element_t<detail::key_of_node(g, node)>;
    using R = type_of_value<node.results>;
    if constexpr (facts_of(node.kind).is_view) {
      return element_of_value(g.operands_of(node)[0]) == element_of_value(node.results);
    } else if constexpr (!detail::is_plain_number(detail::key_of_node(g, node))) {
      return false;
    } else if constexpr (detail::element_arity<op_of<N>, T, R>() != node.operand_count) {
      return false;
    } else if constexpr (std::is_same_v<T, bool> && std::is_same_v<R, bool>) {
      return true;
    } else {
      return detail::conversion_applies<op_of<N>, T, R>() ||
             detail::lanes_apply<op_of<N>, T, R>(std::make_index_sequence<std::size_t(node.operand_count)>{});
    }
  }
  template <int... I>
  static constexpr bool supports_nodes(std::integer_sequence<int, I...>) {
    return (supports_node<nodes.at[I]>() && ...);
  }

 public:
  // Vectors of all values have as many lanes. Masks are those of the first type.
  using wide = hn::ScalableTag<lane>;

  static constexpr bool is_supported() {
    if constexpr (argument_count == 0 || yield_count == 0 || nodes.count == 0 || nodes.count > most_nodes) {
      return false;
    } else if constexpr (!is_plain_number_of_lanes()) {
      return false;
    } else {
      for (int a = 0; a < argument_count; ++a)
        if (!is_known(region.arguments + a) || !fits_lanes(element_of_value(region.arguments + a))) return false;
      for (int value : g.yields_of(region))
        if (!is_known(value) || !fits_lanes(element_of_value(value))) return false;
      return supports_nodes(std::make_integer_sequence<int, nodes.count>{});
    }
  }
  // Whether it takes totals and as many elements of the same types, and gives totals.
  static constexpr bool combines(int totals) {
    if (argument_count != 2 * totals || yield_count != totals) return false;
    for (int i = 0; i < totals; ++i)
      for (int value : {region.arguments + totals + i, g.yields_of(region)[i]})
        if (element_of_value(value) != element_of_value(region.arguments + i)) return false;
    return true;
  }
  static constexpr bool is_scalar() { return g.type_of_value(region.arguments).rank() == 0; }

 protected:
  static constexpr bool is_plain_number_of_lanes() {
    if constexpr (detail::is_plain_number(lane_element) && lane_element != dtype::i1)
      return has_lanes<lane>;
    else
      return false;
  }

  using single = hn::CappedTag<lane, 1>;
  template <class T, class D>
  using tag_of = hn::Rebind<std::conditional_t<std::is_same_v<T, bool>, lane, T>, D>;

  template <class D, class T>
  static HWY_INLINE auto load(D, const T* from, index_t count) {
    const tag_of<T, D> d;
    return detail::load_lanes(d, from, std::size_t(count), hn::Lanes(d));
  }
  template <class D, class V, class T>
  static HWY_INLINE void store(D, V value, T* to, index_t count) {
    const tag_of<T, D> d;
    if constexpr (hn::MaxLanes(D()) == 1 && std::is_same_v<T, bool>)
      *to = hn::AllTrue(d, value);
    else if constexpr (hn::MaxLanes(D()) == 1)
      *to = hn::GetLane(value);
    else
      detail::store_lanes(value, d, to, std::size_t(count), hn::Lanes(d));
  }
  template <class D, class T>
  static HWY_INLINE auto repeat(D, T element) {
    const tag_of<T, D> d;
    if constexpr (std::is_same_v<T, bool>)
      return hn::FirstN(d, element ? hn::Lanes(d) : 0);
    else
      return hn::Set(d, element);
  }

  template <int Value, class D, class... V>
  static HWY_INLINE auto read(D d, V... values) {
    if constexpr (is_constant(Value))
      return repeat(d, Source::template constant<Value>);
    else
      return detail::pick<position_of(Value)>(values...);
  }
  // As an operand of an op on elements of type T.
  template <int Value, class T, class D, class... V>
  static HWY_INLINE auto read_as(D d, V... values) {
    const auto value = read<Value>(d, values...);
    if constexpr (std::is_same_v<type_of_value<Value>, bool>)
      return hn::RebindMask(tag_of<T, D>(), value);
    else
      return value;
  }

  template <int N, class D, std::size_t... I, class... V>
  static HWY_INLINE auto apply_node(D d, std::index_sequence<I...>, V... values) {
    constexpr graph_node node = node_at(N);
    using T = element_t<detail::key_of_node(g, node)>;
    using R = type_of_value<node.results>;
    if constexpr (facts_of(node.kind).is_view) {
      return read<g.operands_of(node)[0]>(d, values...);
    } else {
      constexpr op_of<N> self = read_attributes<op_of<N>>(g.words.data + node.words);
      if constexpr (std::is_same_v<T, bool> && std::is_same_v<R, bool>) {
        constexpr unsigned table = detail::table_of_op<sizeof...(I)>(self);
        return detail::mask_by_table<table>(d, read<g.operands_of(node)[int(I)]>(d, values...)...);
      } else if constexpr (detail::conversion_applies<op_of<N>, T, R>()) {
        const auto result = detail::converted_lanes<T, R>(tag_of<T, D>(), tag_of<R, D>(),
                                                          read_as<g.operands_of(node)[0], R>(d, values...));
        if constexpr (std::is_same_v<R, bool>)
          return hn::RebindMask(d, result);
        else
          return result;
      } else {
        const auto result =
            detail::lanes_of_op<R>(self, tag_of<T, D>(), read_as<g.operands_of(node)[int(I)], T>(d, values...)...);
        if constexpr (std::is_same_v<R, bool>)
          return hn::RebindMask(d, result);
        else
          return rounded(result);
      }
    }
  }
  // Calls give(results...) with what the region gives, given its arguments and the results of the nodes before.
  template <int N = 0, class D, class Give, class... V>
  static HWY_INLINE void compute(D d, const Give& give, V... values) {
    if constexpr (N == nodes.count)
      give_yields(d, give, std::make_integer_sequence<int, yield_count>{}, values...);
    else
      compute<N + 1>(
          d, give, values...,
          apply_node<nodes.at[N]>(d, std::make_index_sequence<node_at(nodes.at[N]).operand_count>{}, values...));
  }
  template <class D, class Give, int... Y, class... V>
  static HWY_INLINE void give_yields(D d, const Give& give, std::integer_sequence<int, Y...>, V... values) {
    give(read<g.yields_of(region)[Y]>(d, values...)...);
  }
  // Of a region that gives one value.
  template <class D, class V>
  static HWY_INLINE V combined(D d, V total, V element) {
    V result = total;
    compute(d, [&](V value) HWY_ATTR __attribute__((always_inline)) { result = value; }, total, element);
    return result;
  }
};

}  // namespace tenon
