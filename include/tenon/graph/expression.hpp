// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/tensor.hpp>
#include <tenon/graph/tracer.hpp>
#include <tenon/ops/all.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

namespace tenon {

template <auto Op, class Declared, class Bodies, class... Operands>
class expression;

namespace detail {

// Sizes of the graph that the types of one expression, or a function of ordinary size, are worked out in.
inline constexpr graph_sizes small_graph{.nodes = 64,
                                         .values = 192,
                                         .operands = 256,
                                         .words = 1024,
                                         .types = 64,
                                         .regions = 16,
                                         .region_references = 16,
                                         .functions = 1,
                                         .literals = 32,
                                         .names = 4,
                                         .characters = 128};

template <int Count>
struct type_array {
  static constexpr int size = Count;
  tensor_type at[Count > 0 ? Count : 1]{};
};

// The type of what `Op` gives for operands of these types. A broken rule ends the compilation here.
template <auto Op, class Declared, class Bodies, tensor_type... Operands, int... I>
constexpr auto types_of_results(std::integer_sequence<int, I...>) {
  graph_storage<small_graph> storage;
  graph g = storage.open();
  const tensor_type types[] = {Operands..., tensor_type{}};
  const int region = open_region(g, -1, {types, int(sizeof...(Operands))});
  const auto results =
      apply_traced<Op, Declared>(Bodies{}, tracer{&g, region, g.regions.data[region].arguments + I, types[I]}...);
  constexpr int count = traced_count<decltype(results)>();
  type_array<count> out;
  if constexpr (is_traced<decltype(results)>)
    out.at[0] = results.type_;
  else
    for (int i = 0; i < count; ++i) out.at[i] = results.at[i].type_;
  return out;
}

}  // namespace detail

// An op on tensors or other expressions, not yet computed: assign it to a tensor, or pass it on. Tensors that live
// elsewhere are referred to, temporaries are kept. A subexpression that is used twice is computed twice; for large
// programs use `trace`.
template <auto Op, class Declared, class Bodies, class... Operands>
class expression {
 public:
  static constexpr auto types = detail::types_of_results<Op, Declared, Bodies, std::remove_cvref_t<Operands>::type...>(
      std::make_integer_sequence<int, int(sizeof...(Operands))>{});
  static constexpr tensor_type type = types.at[0];
  static constexpr int result_count = types.size;

  constexpr explicit expression(Operands... operands) : operands_(static_cast<Operands&&>(operands)...) {}

  // Calls f(leaf) for every tensor below, in the order in which `record` takes them as arguments.
  template <class Function>
  constexpr void for_each_leaf(Function f) const {
    boost::hana::for_each(operands_, [&](const auto& operand) {
      if constexpr (requires { operand.for_each_leaf(f); })
        operand.for_each_leaf(f);
      else
        f(operand);
    });
  }

  static constexpr int leaf_count = (0 + ... + [] {
    if constexpr (requires { std::remove_cvref_t<Operands>::leaf_count; })
      return std::remove_cvref_t<Operands>::leaf_count;
    else
      return 1;
  }());

  template <class Function>
  static constexpr void for_each_leaf_type(Function f) {
    const auto visit_one = [&]<class Operand>(Operand*) {
      if constexpr (requires { Operand::leaf_count; })
        Operand::for_each_leaf_type(f);
      else
        f(Operand::type);
    };
    (visit_one(static_cast<std::remove_cvref_t<Operands>*>(nullptr)), ...);
  }

  // The expression in a graph, its tensors the next arguments of the region.
  static constexpr auto record(graph& g, int region, int& argument) {
    const auto record_one = [&]<class Operand>(Operand*) {
      if constexpr (requires { Operand::leaf_count; }) {
        return Operand::record(g, region, argument);
      } else {
        const int value = g.regions.data[region].arguments + argument++;
        return tracer{&g, region, value, Operand::type};
      }
    };
    // Braces keep the order of the operands.
    const boost::hana::tuple<decltype(record_one(static_cast<std::remove_cvref_t<Operands>*>(nullptr)))...> operands{
        record_one(static_cast<std::remove_cvref_t<Operands>*>(nullptr))...};
    return boost::hana::unpack(
        operands, [](const auto&... each) { return detail::apply_traced<Op, Declared>(Bodies{}, each...); });
  }

 private:
  boost::hana::tuple<Operands...> operands_;
};

namespace detail {

// How an operand is kept: tensors that the caller owns by reference, everything else by value.
template <class Operand>
struct kept_operand {
  using type = Operand;
};
template <class Operand>
  requires(!requires { std::remove_cvref_t<Operand>::leaf_count; })
struct kept_operand<Operand&> {
  using type = const Operand&;
};
template <class Operand>
  requires requires { std::remove_cvref_t<Operand>::leaf_count; }
struct kept_operand<Operand&> {
  using type = std::remove_cvref_t<Operand>;
};

template <class Operand>
using kept = typename kept_operand<Operand>::type;

template <class T>
concept number =
    std::is_arithmetic_v<std::remove_cvref_t<T>> || (element_like<std::remove_cvref_t<T>> && !operand_like<T>);

template <class First, class... Rest>
constexpr tensor_type type_of_first() {
  if constexpr (operand_like<First>)
    return std::remove_cvref_t<First>::type;
  else
    return type_of_first<Rest...>();
}

template <auto Op, class Declared, class Bodies, class... Operands>
constexpr auto make_expression(Operands&&... operands) {
  return expression<Op, Declared, Bodies, kept<Operands>...>(static_cast<Operands&&>(operands)...);
}

// A plain number as a tensor without dimensions of this element type.
template <tensor_type Like, class Operand>
constexpr decltype(auto) number_as_tensor(Operand&& operand) {
  if constexpr (operand_like<Operand>)
    return static_cast<Operand&&>(operand);
  else
    return tensor<element_t<Like.element>>(convert_to<element_t<Like.element>>(operand));
}

template <tensor_type Like, class Operand, class Broadcast = ops::broadcast_in_dim>
constexpr decltype(auto) number_as_broadcast(Operand&& operand) {
  if constexpr (operand_like<Operand>)
    return static_cast<Operand&&>(operand);
  else
    return make_expression<Broadcast{}, result_types<Like>, bodies<>>(
        tensor<element_t<Like.element>>(convert_to<element_t<Like.element>>(operand)));
}

// A number as a constant of the full type: one element that stands for all.
template <class Operand>
constexpr tracer as_full_tracer(const Operand& operand, const tracer& neighbour) {
  if constexpr (is_traced<Operand>) {
    return operand;
  } else {
    tracer scalar = constant_tracer(*neighbour.into, neighbour.region, neighbour.type_, operand);
    graph& g = *neighbour.into;
    g.values[scalar.value].type = g.intern_type(neighbour.type_);
    scalar.type_ = neighbour.type_;
    return scalar;
  }
}

}  // namespace detail

template <auto Op, class Declared, class Bodies, class... Operands>
constexpr auto apply(Operands&&... operands) {
  if constexpr ((detail::is_traced<Operands> || ...)) {
    return detail::apply_traced<Op, Declared>(Bodies{}, operands...);
  } else {
    constexpr tensor_type like = detail::type_of_first<Operands...>();
    return detail::make_expression<Op, Declared, Bodies>(
        detail::number_as_tensor<like>(static_cast<Operands&&>(operands))...);
  }
}

template <auto Op, class... Operands>
constexpr auto apply_elementwise(Operands&&... operands) {
  if constexpr ((detail::is_traced<Operands> || ...)) {
    const tracer& like = detail::first_tracer(operands...);
    return detail::apply_traced<Op, result_types<>>(bodies<>{}, detail::as_full_tracer(operands, like)...);
  } else {
    constexpr tensor_type like = detail::type_of_first<Operands...>();
    return detail::make_expression<Op, result_types<>, bodies<>>(
        detail::number_as_broadcast<like>(static_cast<Operands&&>(operands))...);
  }
}

template <class T>
constexpr tensor_type type_of_operand(const T& operand) {
  if constexpr (detail::is_traced<T>)
    return operand.type_;
  else
    return T::type;
}

}  // namespace tenon
