// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fused_body.hpp>
#include <tenon/kernels/table.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/ops/reduction/merge_sort.hpp>
#include <tenon/run/constant_number.hpp>
#include <tenon/run/nest_code.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

// What an op makes of booleans, as the bits of a number: bit 0 for operands that are all false, the first operand
// counting most.
template <class Op, std::size_t... I>
constexpr unsigned truth_table(const Op& self, std::index_sequence<I...>) {
  unsigned table = 0;
  for (unsigned row = 0; row < 1u << sizeof...(I); ++row)
    if (element_of_op<Op, bool>(self, (row >> (sizeof...(I) - 1 - I) & 1u) != 0 ...)) table |= 1u << row;
  return table;
}

// The same on masks.
template <unsigned Table, class D>
HWY_INLINE hn::Mask<D> mask_by_table(D d) {
  return hn::FirstN(d, Table != 0 ? hn::Lanes(d) : 0);
}
template <unsigned Table, class D, class M, class... Rest>
HWY_INLINE hn::Mask<D> mask_by_table(D d, M first, Rest... rest) {
  constexpr unsigned rows = 1u << sizeof...(Rest), all = (1u << rows) - 1, low = Table & all, high = Table >> rows;
  if constexpr (low == high)
    return mask_by_table<low>(d, rest...);
  else if constexpr (low == 0 && high == all)
    return first;
  else if constexpr (low == all && high == 0)
    return hn::Not(first);
  else if constexpr (low == 0)
    return hn::And(first, mask_by_table<high>(d, rest...));
  else if constexpr (high == 0)
    return hn::AndNot(first, mask_by_table<low>(d, rest...));
  else if constexpr (high == all)
    return hn::Or(first, mask_by_table<low>(d, rest...));
  else if constexpr ((low ^ high) == all)
    return hn::Xor(first, mask_by_table<low>(d, rest...));
  else
    return hn::Or(hn::And(first, mask_by_table<high>(d, rest...)), hn::AndNot(first, mask_by_table<low>(d, rest...)));
}

}  // namespace detail

// A region of ops that work element by element, on arguments of one shape, as code over vectors that hold as many
// elements of each of its values. `Source` has the constant `opened_graph`.
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
  static constexpr bool is_constant(int value) {
    const int node = g.values.data[value].node;
    return node >= 0 && node_at(node).kind == kind_of_op<ops::constant>;
  }
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
      if (node_at(n).region == Region && node_at(n).kind != kind_of_op<ops::constant>) {
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
  static constexpr bool serves_node() {
    constexpr graph_node node = node_at(N);
    if constexpr (node.kind < 0 || node.result_count != 1 || node.region_count != 0 || node.operand_count == 0) {
      return false;
    } else {
      if (!is_known(node.results) || !fits_lanes(element_of_value(node.results))) return false;
      for (int value : g.operands_of(node))
        if (!is_known(value) || !fits_lanes(element_of_value(value))) return false;
      return does<N>();
    }
  }
  template <int N>
  static constexpr bool does() {
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
      return detail::conversion_serves<op_of<N>, T, R>() ||
             detail::lanes_serve<op_of<N>, T, R>(std::make_index_sequence<std::size_t(node.operand_count)>{});
    }
  }
  template <int... I>
  static constexpr bool serves_nodes(std::integer_sequence<int, I...>) {
    return (serves_node<nodes.at[I]>() && ...);
  }

 public:
  // Vectors of all values have as many lanes. Masks are those of the first type.
  using wide = hn::ScalableTag<lane>;

  static constexpr bool serves() {
    if constexpr (argument_count == 0 || yield_count == 0 || nodes.count == 0 || nodes.count > most_nodes) {
      return false;
    } else if constexpr (!is_plain_number_of_lanes()) {
      return false;
    } else {
      for (int a = 0; a < argument_count; ++a)
        if (!is_known(region.arguments + a) || !fits_lanes(element_of_value(region.arguments + a))) return false;
      for (int value : g.yields_of(region))
        if (!is_known(value) || !fits_lanes(element_of_value(value))) return false;
      return serves_nodes(std::make_integer_sequence<int, nodes.count>{});
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
  static constexpr bool compares() {
    return argument_count % 2 == 0 && yield_count == 1 && element_of_value(g.yields_of(region)[0]) == dtype::i1;
  }
  static constexpr bool is_scalar() { return g.type_of_value(region.arguments).rank() == 0; }

  static void apply(const void* const* arguments, void* const* results, index_t count) {
    apply_to(arguments, results, count, std::make_integer_sequence<int, argument_count>{},
             std::make_integer_sequence<int, yield_count>{});
  }

  // So many vectors of totals are worked on together that none is waited for. Where they begin anew, the last ones
  // overlap those before.
  template <class D>
  static void fold_one(void* const* totals, const void* const* initial, const void* const* places, index_t place_count,
                       index_t count) {
    using T = type_of_value<region.arguments>;
    const D d;
    const index_t w = index_t(hn::Lanes(d));
    T* const to = static_cast<T*>(totals[0]);
    const T* const first = initial != nullptr ? static_cast<const T*>(initial[0]) : nullptr;
    const auto begin = [&](const T* at, index_t some) HWY_ATTR
        __attribute__((always_inline)) { return first != nullptr ? repeat(d, *first) : load(d, at, some); };
    index_t i = 0;
    while (i + 8 * w <= count) {
      T* const at = to + i;
      auto a = begin(at, w), b = begin(at + w, w), c = begin(at + 2 * w, w), e = begin(at + 3 * w, w);
      auto f = begin(at + 4 * w, w), h = begin(at + 5 * w, w), j = begin(at + 6 * w, w), k = begin(at + 7 * w, w);
      for (index_t p = 0; p < place_count; ++p) {
        const T* const from = static_cast<const T*>(places[p]) + i;
        a = combined(d, a, load(d, from, w)), b = combined(d, b, load(d, from + w, w));
        c = combined(d, c, load(d, from + 2 * w, w)), e = combined(d, e, load(d, from + 3 * w, w));
        f = combined(d, f, load(d, from + 4 * w, w)), h = combined(d, h, load(d, from + 5 * w, w));
        j = combined(d, j, load(d, from + 6 * w, w)), k = combined(d, k, load(d, from + 7 * w, w));
      }
      store(d, a, at, w), store(d, b, at + w, w), store(d, c, at + 2 * w, w), store(d, e, at + 3 * w, w);
      store(d, f, at + 4 * w, w), store(d, h, at + 5 * w, w), store(d, j, at + 6 * w, w);
      store(d, k, at + 7 * w, w);
      i += 8 * w;
      if (first != nullptr && i < count && i + 8 * w > count) i = count - 8 * w;
    }
    for (; i < count; i += w) {
      const index_t some = count - i < w ? count - i : w;
      auto a = begin(to + i, some);
      for (index_t p = 0; p < place_count; ++p) a = combined(d, a, load(d, static_cast<const T*>(places[p]) + i, some));
      store(d, a, to + i, some);
    }
  }
  template <class D>
  static void fold_two(void* const* totals, const void* const* initial, const void* const* places, index_t place_count,
                       index_t count) {
    using T = type_of_value<region.arguments>;
    using U = type_of_value<region.arguments + 1>;
    const D d;
    const index_t w = index_t(hn::Lanes(d));
    T* const first = static_cast<T*>(totals[0]);
    U* const second = static_cast<U*>(totals[1]);
    const bool is_first = initial != nullptr;
    const auto begin = [&]<class E>(const E* at, int which, index_t some) HWY_ATTR __attribute__((always_inline)) {
      return is_first ? repeat(d, *static_cast<const E*>(initial[which])) : load(d, at, some);
    };
    const auto take = [&](auto& a, auto& b, index_t p, index_t at, index_t some) HWY_ATTR
        __attribute__((always_inline)) {
          compute(
              d, [&](auto u, auto v) HWY_ATTR __attribute__((always_inline)) { a = u, b = v; }, a, b,
              load(d, static_cast<const T*>(places[2 * p]) + at, some),
              load(d, static_cast<const U*>(places[2 * p + 1]) + at, some));
        };
    index_t i = 0;
    while (i + 4 * w <= count) {
      auto a = begin(first + i, 0, w), c = begin(first + i + w, 0, w);
      auto e = begin(first + i + 2 * w, 0, w), h = begin(first + i + 3 * w, 0, w);
      auto b = begin(second + i, 1, w), f = begin(second + i + w, 1, w);
      auto j = begin(second + i + 2 * w, 1, w), k = begin(second + i + 3 * w, 1, w);
      for (index_t p = 0; p < place_count; ++p) {
        take(a, b, p, i, w), take(c, f, p, i + w, w);
        take(e, j, p, i + 2 * w, w), take(h, k, p, i + 3 * w, w);
      }
      store(d, a, first + i, w), store(d, c, first + i + w, w);
      store(d, e, first + i + 2 * w, w), store(d, h, first + i + 3 * w, w);
      store(d, b, second + i, w), store(d, f, second + i + w, w);
      store(d, j, second + i + 2 * w, w), store(d, k, second + i + 3 * w, w);
      i += 4 * w;
      if (is_first && i < count && i + 4 * w > count) i = count - 4 * w;
    }
    for (; i < count; i += w) {
      const index_t some = count - i < w ? count - i : w;
      auto a = begin(first + i, 0, some);
      auto b = begin(second + i, 1, some);
      for (index_t p = 0; p < place_count; ++p) take(a, b, p, i, some);
      store(d, a, first + i, some), store(d, b, second + i, some);
    }
  }

  // Row after row, in the order in which they come from memory.
  template <class D>
  static void fold_rows(void* const* totals, const void* const* elements, index_t step, index_t rows, index_t count) {
    fold_rows_of(D(), totals, elements, step, rows, count, std::make_integer_sequence<int, yield_count>{});
  }

  static void fold_at(void* result, const index_t* positions, const void* elements, index_t step, index_t count) {
    using T = type_of_value<region.arguments>;
    const single d;
    T* const to = static_cast<T*>(result);
    const T* const from = static_cast<const T*>(elements);
    for (index_t k = 0; k < count; ++k)
      if (const index_t at = positions[k]; at >= 0)
        store(d, combined(d, repeat(d, to[at]), repeat(d, from[k * step])), to + at, 1);
  }

  // What stands at `first` comes before what stands at `second`.
  static index_t* order(const void* const* columns, index_t stride, index_t* order, index_t* other, index_t count) {
    return merge_sort(order, other, count, [=](index_t first, index_t second) HWY_ATTR {
      return is_less(columns, first * stride, second * stride, std::make_integer_sequence<int, argument_count>{});
    });
  }

  // Of `Inputs` inputs and one carry.
  template <int Inputs>
  static void take_turns(const void* const* arguments, void* const* results, index_t turns, index_t count,
                         bool is_reverse) {
    static_assert(argument_count == Inputs + 1);
    constexpr std::make_integer_sequence<int, Inputs> inputs;
    constexpr std::make_integer_sequence<int, yield_count - 1> outputs;
    const index_t width = index_t(hn::Lanes(wide()));
    if (count == 1)
      take_turns_of(single(), arguments, results, turns, count, is_reverse, inputs, outputs);
    else if (count <= width)
      take_turns_of(wide(), arguments, results, turns, count, is_reverse, inputs, outputs);
    else
      take_long_turns(arguments, results, turns, count, is_reverse, inputs, outputs);
  }

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
      return repeat(d, detail::constant_number<Source, Value>);
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
        constexpr unsigned table = detail::truth_table(self, std::index_sequence<I...>{});
        return detail::mask_by_table<table>(d, read<g.operands_of(node)[int(I)]>(d, values...)...);
      } else if constexpr (detail::conversion_serves<op_of<N>, T, R>()) {
        return converted<T, R>(d, read<g.operands_of(node)[0]>(d, values...));
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
  template <class T, class R, class D, class V>
  static HWY_INLINE auto converted(D d, V value) {
    const tag_of<T, D> source;
    const tag_of<R, D> target;
    if constexpr (std::is_same_v<T, bool>)
      return hn::IfThenElseZero(hn::RebindMask(target, value), hn::Set(target, R(1)));
    else if constexpr (std::is_same_v<R, bool>)
      return hn::RebindMask(d, hn::Not(hn::Eq(value, hn::Zero(source))));
    else
      return math::lanes::convert_lanes<tag_of<R, D>, T>(target, source, value);
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

  template <class D, int... I>
  static HWY_INLINE void fold_rows_of(D d, void* const* totals, const void* const* elements, index_t step, index_t rows,
                                      index_t count, std::integer_sequence<int, I...>) {
    const index_t w = index_t(hn::Lanes(d));
    // Copies, as what is written might otherwise be where they lie.
    const std::tuple to{static_cast<type_of_value<region.arguments + I>*>(totals[I])...};
    std::tuple from{static_cast<const type_of_value<region.arguments + I>*>(elements[I])...};
    const auto take = [&](index_t i, index_t some) HWY_ATTR __attribute__((always_inline)) {
      compute(
          d,
          [&](auto... values) HWY_ATTR
          __attribute__((always_inline)) { (store(d, values, std::get<I>(to) + i, some), ...); },
          load(d, std::get<I>(to) + i, some)..., load(d, std::get<I>(from) + i, some)...);
    };
    // Many vectors are written out, for each load to come a row after its last one: so processors know what to fetch
    // ahead. What is left over of rows comes behind.
    constexpr int written_out = sizeof...(I) > 1 ? 8 : 16;
    const index_t whole = count / (written_out * w) * (written_out * w);
    const auto take_many = [&]<int... K>(index_t i, std::integer_sequence<int, K...>) HWY_ATTR
        __attribute__((always_inline)) { (take(i + K * w, w), ...); };
    for (index_t row = 0; row < rows; ++row, ((std::get<I>(from) += step), ...))
      for (index_t i = 0; i < whole; i += written_out * w) take_many(i, std::make_integer_sequence<int, written_out>());
    ((std::get<I>(from) -= rows * step), ...);
    for (index_t row = 0; row < rows && whole < count; ++row, ((std::get<I>(from) += step), ...)) {
      index_t i = whole;
      for (; i + w <= count; i += w) take(i, w);
      if (i < count) take(i, count - i);
    }
  }

  // Arguments are two elements of each column, in turn.
  template <int... A>
  static HWY_INLINE bool is_less(const void* const* columns, index_t first, index_t second,
                                 std::integer_sequence<int, A...>) {
    const single d;
    bool result = false;
    compute(
        d, [&](auto value) HWY_ATTR __attribute__((always_inline)) { store(d, value, &result, 1); },
        repeat(d, static_cast<const type_of_value<region.arguments + A>*>(
                      columns[A / 2])[A % 2 == 0 ? first : second])...);
    return result;
  }

  template <int... A, int... Y>
  static HWY_INLINE void apply_to(const void* const* arguments, void* const* results, index_t count,
                                  std::integer_sequence<int, A...>, std::integer_sequence<int, Y...>) {
    apply_from(count, std::integer_sequence<int, Y...>{},
               std::tuple{static_cast<type_of_value<g.yields_of(region)[Y]>*>(results[Y])...},
               static_cast<const type_of_value<region.arguments + A>*>(arguments[A])...);
  }
  template <int... Y, class Targets, class... T>
  static HWY_INLINE void apply_from(index_t count, std::integer_sequence<int, Y...>, const Targets& to,
                                    const T*... from) {
    const wide d;
    const index_t width = index_t(hn::Lanes(d));
    const auto apply_at = [&](index_t i, index_t some) HWY_ATTR __attribute__((always_inline)) {
      compute(
          d,
          [&](auto... results) HWY_ATTR
          __attribute__((always_inline)) { (store(d, results, std::get<Y>(to) + i, some), ...); },
          load(d, from + i, some)...);
    };
    index_t i = 0;
    for (; i + width <= count; i += width) apply_at(i, width);
    if (i < count) apply_at(i, count - i);
  }

  // The carry stays in one vector.
  template <class D, int... I, int... O>
  static HWY_INLINE void take_turns_of(D d, const void* const* arguments, void* const* results, index_t turns,
                                       index_t count, bool is_reverse, std::integer_sequence<int, I...>,
                                       std::integer_sequence<int, O...>) {
    constexpr int inputs = sizeof...(I), outputs = sizeof...(O);
    using carried = type_of_value<region.arguments + inputs>;
    const auto read_at = [&]<class T>(const T* from) HWY_ATTR __attribute__((always_inline)) {
      if constexpr (hn::MaxLanes(D()) == 1)
        return repeat(d, *from);
      else
        return load(d, from, count);
    };
    auto carry = read_at(static_cast<const carried*>(arguments[inputs]));
    index_t at = is_reverse ? (turns - 1) * count : 0;
    for (index_t turn = 0; turn < turns; ++turn, at += is_reverse ? -count : count)
      compute(
          d,
          [&](auto... given) HWY_ATTR __attribute__((always_inline)) {
            carry = detail::pick<outputs>(given...);
            (store(d, detail::pick<O>(given...), target<O>(results) + at, count), ...);
          },
          read_at(static_cast<const type_of_value<region.arguments + I>*>(arguments[I]) + at)..., carry);
    store(d, carry, static_cast<carried*>(results[outputs]), count);
  }
  // The carry lies where its last value goes.
  template <int... I, int... O>
  static HWY_INLINE void take_long_turns(const void* const* arguments, void* const* results, index_t turns,
                                         index_t count, bool is_reverse, std::integer_sequence<int, I...>,
                                         std::integer_sequence<int, O...>) {
    constexpr int inputs = sizeof...(I), outputs = sizeof...(O);
    using carried = type_of_value<region.arguments + inputs>;
    carried* const carry = static_cast<carried*>(results[outputs]);
    const carried* const initial = static_cast<const carried*>(arguments[inputs]);
    for (index_t i = 0; i < count; ++i) carry[i] = initial[i];
    const wide d;
    const index_t width = index_t(hn::Lanes(d));
    // Copies, as what is written might otherwise be where they lie.
    const std::tuple from{static_cast<const type_of_value<region.arguments + I>*>(arguments[I])...};
    const std::tuple to{target<O>(results)...};
    const auto take = [=](index_t at, index_t i, index_t some) HWY_ATTR __attribute__((always_inline)) {
      compute(
          d,
          [&](auto... given) HWY_ATTR __attribute__((always_inline)) {
            store(d, detail::pick<outputs>(given...), carry + i, some);
            (store(d, detail::pick<O>(given...), std::get<O>(to) + at + i, some), ...);
          },
          load(d, std::get<I>(from) + at + i, some)..., load(d, carry + i, some));
    };
    for (index_t turn = 0; turn < turns; ++turn) {
      const index_t at = (is_reverse ? turns - 1 - turn : turn) * count;
      index_t i = 0;
      for (; i + width <= count; i += width) take(at, i, width);
      if (i < count) take(at, i, count - i);
    }
  }
  template <int Y>
  static HWY_INLINE auto* target(void* const* results) {
    return static_cast<type_of_value<g.yields_of(region)[Y]>*>(results[Y]);
  }
};

}  // namespace tenon
