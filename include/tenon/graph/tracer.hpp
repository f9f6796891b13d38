// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/element.hpp>
#include <tenon/graph/build.hpp>

#include <bit>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

// Not constexpr, so that reaching it while compiling is an error whose message shows the arguments: the rule's label
// and the specification's formula, and the types that broke it.
inline void this_program_breaks_the_rule(const char* /*label*/, const char* /*formula*/) {}

// A value of a function that is being traced: a number in a graph, and a type. Ops on tracers are recorded.
struct tracer {
  static constexpr bool is_tracer = true;

  graph* into = nullptr;
  int region = -1;
  int value = -1;
  tensor_type type_;

  constexpr tensor_type type() const { return type_; }
};

// The results of an op that has several: `auto [values, positions] = ...` or `results[0]`.
template <int Count>
struct tracers {
  tracer at[Count]{};

  constexpr const tracer& operator[](int i) const { return at[i]; }
  template <std::size_t I>
  constexpr const tracer& get() const {
    return at[I];
  }
};

namespace detail {

template <class T>
concept is_traced = requires { requires std::remove_cvref_t<T>::is_tracer; };

// A plain number as a constant of this element type.
template <class Number>
constexpr tracer constant_tracer(graph& g, int region, const tensor_type& like, Number number) {
  const tensor_type type = like.with_shape({});
  index_t words[2]{};
  int count = 1;
  visit(type.element, [&]<class T>() {
    const auto bits_of = []<class Real>(Real value) -> index_t {
      if constexpr (std::is_same_v<Real, float>)
        return std::bit_cast<std::int32_t>(value);
      else if constexpr (std::is_same_v<Real, double>)
        return std::bit_cast<index_t>(value);
      else if constexpr (std::is_integral_v<Real>)
        return index_t(value);
      else
        return index_t(std::bit_cast<std::conditional_t<sizeof(Real) == 1, std::uint8_t, std::uint16_t>>(value));
    };
    const T value = convert_to<T>(number);
    if constexpr (requires { value.imag; }) {
      words[0] = bits_of(value.real), words[1] = bits_of(value.imag);
      count = 2;
    } else {
      words[0] = bits_of(value);
    }
  });
  graph_literal literal{graph_literal::place::words, g.words.size, count};
  for (int i = 0; i < count; ++i) g.words.push(words[i]);
  const index_t attribute = g.literals.push(literal);
  const int node = append_unchecked(g, kind_of_op<ops::constant>, {&attribute, 1}, {{}, {}, {}, region}, {&type, 1});
  return {&g, region, g.nodes.data[node].results, type};
}

// What an op function was given, as a tracer: itself, or a number as a constant of the type of its neighbours.
template <class Operand>
constexpr tracer as_tracer(const Operand& operand, const tracer& neighbour) {
  if constexpr (is_traced<Operand>)
    return operand;
  else
    return constant_tracer(*neighbour.into, neighbour.region, neighbour.type(), operand);
}

template <class First, class... Rest>
constexpr const tracer& first_tracer(const First& first, const Rest&... rest) {
  if constexpr (is_traced<First>)
    return first;
  else
    return first_tracer(rest...);
}

template <class T>
inline constexpr int declared_count = 0;
template <tensor_type... Types>
inline constexpr int declared_count<result_types<Types...>> = sizeof...(Types);

template <tensor_type... Types>
constexpr void write_declared(result_types<Types...>, table<tensor_type>& out) {
  (out.push(Types), ...);
}

// Runs a body, an op or a function object, on the arguments of a region.
template <class Body, class... Arguments>
constexpr auto call_body(const Arguments&... arguments) {
  if constexpr (op<Body>)
    return apply<Body{}>(arguments...);
  else
    return Body{}(arguments...);
}

template <class Result>
constexpr void push_results(const Result& result, table<int>& yields) {
  if constexpr (is_traced<Result>) {
    yields.push(result.value);
  } else if constexpr (requires { result.at[0].value; }) {
    for (const tracer& each : result.at) yields.push(each.value);
  } else {
    boost::hana::for_each(result, [&](const auto& each) { push_results(each, yields); });
  }
}

// How many arguments region `Region` of the op has when the op has this many operands.
template <auto Op, int Region, int Operands>
constexpr int region_argument_count() {
  tensor_type types[Operands + 1]{};
  tensor_type storage[most_operands];
  table<tensor_type> arguments{storage, 0, most_operands};
  Op.region_arguments(Region, {types, Operands}, arguments);
  return arguments.size;
}

template <class Body, int... I>
constexpr auto body_result(std::integer_sequence<int, I...>) -> decltype(call_body<Body>(((void)I, tracer{})...));

// Traces Body into a new region whose arguments have these types; gives the region.
template <class Body, int... I>
constexpr int trace_region(graph& g, int parent, list<tensor_type> arguments, std::integer_sequence<int, I...>) {
  const int region = open_region(g, parent, arguments);
  const int first = g.regions.data[region].arguments;
  int storage[most_operands]{};
  table<int> yields{storage, 0, most_operands};
  push_results(call_body<Body>(tracer{&g, region, first + I, arguments[I]}...), yields);
  close_region(g, region, yields.part(0, yields.size));
  return region;
}

template <auto Op, class... Bodies, int... Region>
constexpr void trace_regions(graph& g, int parent, const operand_types& operands, table<int>& regions,
                             std::integer_sequence<int, Region...>, auto operand_count) {
  const auto trace_one = [&]<int Which, class Body>(std::integral_constant<int, Which>, Body*) {
    constexpr int count = region_argument_count<Op, Which, decltype(operand_count)::value>();
    tensor_type storage[most_operands];
    table<tensor_type> arguments{storage, 0, most_operands};
    Op.region_arguments(Which, operands.all, arguments);
    regions.push(trace_region<Body>(g, parent, arguments.part(0, count), std::make_integer_sequence<int, count>{}));
  };
  (trace_one(std::integral_constant<int, Region>{}, static_cast<Bodies*>(nullptr)), ...);
}

// How many results the op has for this many operands, as far as the op alone decides; 0 where its regions decide.
template <auto Op, class Declared, int Operands>
constexpr int result_count() {
  tensor_type types[Operands + 1]{};
  tensor_type declared[declared_count<Declared> + 1]{};
  table<tensor_type> declared_types{declared, 0, declared_count<Declared>};
  write_declared(Declared{}, declared_types);
  tensor_type storage[most_operands];
  table<tensor_type> results{storage, 0, most_operands};
  rules rule;
  rule.declared = {declared, declared_types.size};
  infer_results(Op, rule, {types, Operands}, results);
  return results.size;
}

template <class Result>
constexpr int traced_count() {
  if constexpr (is_traced<Result>)
    return 1;
  else
    return int(sizeof(Result) / sizeof(tracer));
}

template <auto Op, class Declared, class... Bodies, class... Operands>
constexpr auto apply_traced(bodies<Bodies...>, const Operands&... operands) {
  const tracer& like = first_tracer(operands...);
  graph& g = *like.into;
  const int values[] = {as_tracer(operands, like).value...};
  const list<int> all{values, int(sizeof...(Operands))};
  int storage[sizeof...(Bodies) + 1]{};
  table<int> regions{storage, 0, int(sizeof...(Bodies))};
  if constexpr (sizeof...(Bodies) > 0) {
    const operand_types types(g, all);
    trace_regions<Op, Bodies...>(g, like.region, types, regions,
                                 std::make_integer_sequence<int, int(sizeof...(Bodies))>{},
                                 std::integral_constant<int, int(sizeof...(Operands))>{});
  }
  tensor_type declared_storage[declared_count<Declared> + 1]{};
  table<tensor_type> declared{declared_storage, 0, declared_count<Declared>};
  write_declared(Declared{}, declared);

  rules rule;
  const int node =
      append(g, Op, {all, regions.part(0, regions.size), declared.part(0, declared.size), like.region}, rule);
  if (rule.broken()) this_program_breaks_the_rule(rule.label, rule.sentence);

  constexpr int known = result_count<Op, Declared, int(sizeof...(Operands))>();
  const auto result = [&](int i) {
    const int value = g.nodes.data[node].results + i;
    return tracer{&g, like.region, value, g.type_of_value(value)};
  };
  const auto gather = [&]<int Count>(std::integral_constant<int, Count>) {
    tracers<Count> out;
    for (int i = 0; i < Count; ++i) out.at[i] = result(i);
    return out;
  };
  if constexpr (known == 1) {
    return result(0);
  } else if constexpr (known > 1 || sizeof...(Bodies) == 0) {
    return gather(std::integral_constant<int, known>{});
  } else {
    using first = std::tuple_element_t<0, std::tuple<Bodies...>>;
    constexpr int arguments = region_argument_count<Op, 0, int(sizeof...(Operands))>();
    using yielded = decltype(body_result<first>(std::make_integer_sequence<int, arguments>{}));
    if constexpr (traced_count<yielded>() == 1)
      return result(0);
    else
      return gather(std::integral_constant<int, traced_count<yielded>()>{});
  }
}

}  // namespace detail

}  // namespace tenon

template <int Count>
struct std::tuple_size<tenon::tracers<Count>> : std::integral_constant<std::size_t, std::size_t(Count)> {};
template <std::size_t I, int Count>
struct std::tuple_element<I, tenon::tracers<Count>> {
  using type = tenon::tracer;
};
