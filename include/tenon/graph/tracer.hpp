// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/element.hpp>
#include <tenon/graph/build.hpp>
#include <tenon/graph/diagnostic.hpp>

#include <bit>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

// A graph that ops are recorded into, and the first rule that they break.
struct recording {
  static constexpr int most_shown = 4;

  graph program;
  bool stops_at_broken_rule = true;  // the compilation ends there, and its messages lead to the op
  const char* label = nullptr;
  const char* sentence = nullptr;
  tensor_type operands[most_shown]{};
  int operand_count = 0;

  template <int Count>
  constexpr void note_broken(const rules& rule, list<tensor_type> types) {
    // A graph that has run out of room knows no types.
    if (label != nullptr || program.overflow()) return;
    if (stops_at_broken_rule) report_broken<Count>(rule.label, rule.sentence, types);
    label = rule.label;
    sentence = rule.sentence;
    for (; operand_count < types.size && operand_count < most_shown; ++operand_count)
      operands[operand_count] = types.data[operand_count];
  }
};

}  // namespace detail

// A value of a function that is being traced: a number in a graph, which knows its type. Ops on tracers are recorded.
struct tracer {
  static constexpr bool is_tracer = true;

  detail::recording* into = nullptr;
  int region = -1;
  int value = -1;

  constexpr const tensor_type& type() const { return into->program.type_of_value(value); }
};

// The results of an op that has several: `auto [values, positions] = ...` or `results[0]`.
template <int Count>
struct tracers {
  tracer at[Count]{};

  constexpr const tracer& operator[](int i) const { return at[i]; }
  template <std::size_t I>
  friend constexpr const tracer& get(const tracers& all) {
    return all.at[I];
  }
};

// Several values at once: what a traced function returns, `return results(mean, variance);`, and what calling it gives,
// `auto [mean, variance] = moments(x);`.
template <class... T>
struct results : std::tuple<T...> {
  using std::tuple<T...>::tuple;
};
template <class... T>
results(T...) -> results<T...>;

namespace detail {

template <class T>
concept is_traced = requires { requires std::remove_cvref_t<T>::is_tracer; };

template <class Element>
constexpr index_t bits_of_element(Element value) {
  if constexpr (std::is_integral_v<Element>)
    return index_t(value);
  else if constexpr (sizeof(Element) == 8)
    return std::bit_cast<index_t>(value);
  else if constexpr (sizeof(Element) == 4)
    return std::bit_cast<std::int32_t>(value);
  else
    return index_t(std::bit_cast<std::conditional_t<sizeof(Element) == 1, std::uint8_t, std::uint16_t>>(value));
}

template <class Element>
constexpr void push_element(table<index_t>& words, const Element& value) {
  if constexpr (requires { value.imag; }) {
    words.push(bits_of_element(value.real)), words.push(bits_of_element(value.imag));
  } else {
    words.push(bits_of_element(value));
  }
}

constexpr tracer record_literal(recording& r, int region, const tensor_type& type, int first_word) {
  graph& g = r.program;
  const index_t literal = g.literals.push({graph_literal::place::words, first_word, g.words.size - first_word});
  const int node = append_unchecked(g, kind_of_op<ops::constant>, {&literal, 1}, {{}, {}, {}, region}, {&type, 1});
  return {&r, region, g.nodes.data[node].results};
}

// A constant all of whose elements are this number.
template <class Number>
constexpr tracer record_number(recording& r, int region, const tensor_type& type, Number number) {
  const int first = r.program.words.size;
  visit(type.element, [&]<class T>() { push_element(r.program.words, convert_to<T>(number)); });
  return record_literal(r, region, type, first);
}

// A tensor whose elements are known while compiling.
template <class Tensor>
constexpr tracer record_tensor(recording& r, int region, const Tensor& tensor) {
  const int first = r.program.words.size;
  for (index_t i = 0; i < Tensor::size; ++i) push_element(r.program.words, tensor.data()[i]);
  return record_literal(r, region, Tensor::type, first);
}

// What an op was given, as a tracer. A number stands for a tensor of the type of its neighbours, without dimensions; a
// tensor or an expression whose elements are known while compiling for a constant.
template <class Operand>
constexpr tracer as_tracer(const Operand& operand, const tracer& neighbour) {
  recording& r = *neighbour.into;
  if constexpr (is_traced<Operand>)
    return operand;
  else if constexpr (requires { operand.record_values(r, 0); })
    return operand.record_values(r, neighbour.region);
  else if constexpr (operand_like<Operand>)
    return record_tensor(r, neighbour.region, operand);
  else
    return record_number(r, neighbour.region, neighbour.type().with_shape({}), operand);
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

// How many values a traced function gives: one, or a tuple.
template <class Result>
constexpr int traced_count() {
  if constexpr (operand_like<Result>)
    return 1;
  else
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (0 + ... + traced_count<std::tuple_element_t<I, Result>>());
    }(std::make_index_sequence<std::tuple_size_v<Result>>{});
}

template <class Result>
constexpr void push_results(const Result& result, const tracer& inside, table<int>& yields) {
  if constexpr (operand_like<Result>) {
    yields.push(as_tracer(result, inside).value);
  } else {
    using std::get;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (push_results(get<I>(result), inside, yields), ...);
    }(std::make_index_sequence<std::tuple_size_v<Result>>{});
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
constexpr int trace_region(recording& r, int parent, list<tensor_type> arguments, std::integer_sequence<int, I...>) {
  graph& g = r.program;
  const int region = open_region(g, parent, arguments);
  const int first = g.regions.data[region].arguments;
  int storage[most_operands]{};
  table<int> yields{storage, 0, most_operands};
  push_results(call_body<Body>(tracer{&r, region, first + I}...), tracer{&r, region}, yields);
  close_region(g, region, yields.part(0, yields.size));
  return region;
}

// The types of the operands, in memory of their number.
template <int Count>
struct operand_type_array {
  tensor_type at[Count > 0 ? Count : 1];
  list<tensor_type> all{at, Count};

  constexpr operand_type_array(const graph& g, const int* values) {
    for (int i = 0; i < Count; ++i) at[i] = g.type_of_value(values[i]);
  }
  operand_type_array(const operand_type_array&) = delete;
};

template <auto Op, int Region, class Body, int Operands>
constexpr int trace_region_of(recording& r, int parent, const operand_type_array<Operands>& operands) {
  constexpr int count = region_argument_count<Op, Region, Operands>();
  tensor_type storage[count > 0 ? count : 1];
  table<tensor_type> arguments{storage, 0, count};
  Op.region_arguments(Region, operands.all, arguments);
  return trace_region<Body>(r, parent, arguments.part(0, count), std::make_integer_sequence<int, count>{});
}

template <auto Op, class... Bodies, int... Region, int Operands>
constexpr void trace_regions(recording& r, int parent, const operand_type_array<Operands>& operands, int* regions,
                             std::integer_sequence<int, Region...>) {
  ((regions[Region] = trace_region_of<Op, Region, Bodies>(r, parent, operands)), ...);
}

// The attributes of an op, worked out once.
struct attribute_words {
  static constexpr int most = 512;
  index_t at[most]{};
  int size = 0;
};

template <auto Op>
inline constexpr attribute_words words_of = [] {
  attribute_words result;
  table<index_t> words{result.at, 0, attribute_words::most};
  write_attributes(words, Op);
  result.size = words.size;
  return result;
}();

template <class Declared>
struct declared_type_array {
  static constexpr int count = declared_count<Declared>;
  tensor_type at[count + 1];

  constexpr declared_type_array() {
    table<tensor_type> types{at, 0, count};
    write_declared(Declared{}, types);
  }
  constexpr list<tensor_type> all() const { return {at, count}; }
};
template <class Declared>
inline constexpr declared_type_array<Declared> declared_types;

// How many results the op has for this many operands, as far as the op alone decides; 0 where its regions decide.
template <auto Op, class Declared, int Operands>
constexpr int result_count() {
  tensor_type types[Operands + 1]{};
  tensor_type storage[most_operands];
  table<tensor_type> results{storage, 0, most_operands};
  rules rule;
  rule.declared = declared_types<Declared>.all();
  infer_results(Op, rule, {types, Operands}, results);
  return results.size;
}

// How many results an op has that is given these bodies.
template <auto Op, class Declared, int Operands, class... Bodies>
constexpr int result_count_with(bodies<Bodies...>) {
  constexpr int known = result_count<Op, Declared, Operands>();
  if constexpr (known > 0 || sizeof...(Bodies) == 0) {
    return known;
  } else {
    using first = std::tuple_element_t<0, std::tuple<Bodies...>>;
    constexpr int arguments = region_argument_count<Op, 0, Operands>();
    return traced_count<decltype(body_result<first>(std::make_integer_sequence<int, arguments>{}))>();
  }
}

// Checks and records one op on the values; gives its results, a tracer or several.
template <auto Op, class Declared, int Operands, class... Bodies>
constexpr auto record_op(recording& r, int region, const int* values, bodies<Bodies...>) {
  graph& g = r.program;
  constexpr int count = result_count_with<Op, Declared, Operands>(bodies<Bodies...>{});
  constexpr int region_count = int(sizeof...(Bodies));
  const operand_type_array<Operands> operands(g, values);
  int regions[region_count + 1]{};
  tensor_type storage[count + 1];
  table<tensor_type> results{storage, 0, count};
  rules rule;
  rule.declared = declared_types<Declared>.all();
  rule.details = &g;
  if constexpr (region_count > 0) {
    trace_regions<Op, Bodies...>(r, region, operands, regions, std::make_integer_sequence<int, region_count>{});
    const region_signatures signatures(g, {regions, region_count});
    rule.regions = signatures.all;
    infer_results(Op, rule, operands.all, results);
  } else {
    infer_results(Op, rule, operands.all, results);
  }
  if (rule.broken()) r.note_broken<Operands>(rule, operands.all);
  const int node =
      append_unchecked(g, kind_of_op<std::remove_const_t<decltype(Op)>>, {words_of<Op>.at, words_of<Op>.size},
                       {{values, Operands}, {regions, region_count}, {}, region}, {storage, count});
  const int first = g.nodes.data[node].results;
  if constexpr (count == 1) {
    return tracer{&r, region, first};
  } else {
    tracers<count> out;
    for (int i = 0; i < count; ++i) out.at[i] = {&r, region, first + i};
    return out;
  }
}

template <auto Op, class Declared, class Bodies, class... Operands>
constexpr auto apply_traced(const Operands&... operands) {
  const tracer& like = first_tracer(operands...);
  const int values[] = {as_tracer(operands, like).value...};
  return record_op<Op, Declared, int(sizeof...(Operands))>(*like.into, like.region, values, Bodies{});
}

}  // namespace detail

}  // namespace tenon

template <int Count>
struct std::tuple_size<tenon::tracers<Count>> : std::integral_constant<std::size_t, std::size_t(Count)> {};
template <std::size_t I, int Count>
struct std::tuple_element<I, tenon::tracers<Count>> {
  using type = tenon::tracer;
};
template <class... T>
struct std::tuple_size<tenon::results<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, tenon::results<T...>> : std::tuple_element<I, std::tuple<T...>> {};
