// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/bit_cast.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/part.hpp>
#include <tenon/core/results.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/core/written_number.hpp>
#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/diagnostic.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

// A graph that ops are recorded into, and the first rule that they break.
struct recording {
  static constexpr int most_shown = 4;

  graph program;
  int region = -1;                   // where the next op goes
  bool stops_at_broken_rule = true;  // the compilation ends there, and its messages lead to the op
  const char* label = nullptr;
  const char* sentence = nullptr;
  tensor_type operands[most_shown]{};
  int operand_count = 0;

  template <int Count>
  constexpr void note_broken(const rules& rule, list<tensor_type> types) {
    // A graph that has run out of room knows no types.
    if (sentence != nullptr || program.overflow()) return;
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
  int value = -1;

  constexpr const tensor_type& type() const { return into->program.type_of_value(value); }

  // x(at<0>, all), x[range<0, 4>], and row i, where i is a number or traced too.
  template <detail::axis_part... Parts>
  constexpr auto operator()(Parts...) const {
    return apply_function(detail::part_of<Parts...>{}, *this);
  }
  template <detail::axis_part Part>
  constexpr auto operator[](Part part) const {
    return (*this)(part);
  }
  constexpr auto row(const auto& i) const { return detail::row_of_value(*this, i); }

  // A condition of C++ on a traced value is refused with a message.
  template <class Truth>
    requires std::same_as<Truth, bool>
  constexpr explicit operator Truth() const {
    static_assert(!std::same_as<Truth, bool>,
                  "tenon: a traced value is not known before the program runs: instead of if, while, for, && and || on "
                  "it write select or if_, while_, & and |");
    return false;
  }
};

// A traced value whose type is known by its type: an argument of a traced function, and what ops make of these.
//
//   constexpr auto centered = trace([](auto x) { return x - sum(x) / decltype(x)::size; });
template <class Tensor>
struct traced_tensor : tracer, detail::has_parts<traced_tensor<Tensor>> {
  static constexpr tensor_type type = Tensor::type;
  static constexpr ints shape = type.shape;
  static constexpr int rank = type.rank();
  static constexpr index_t size = Tensor::size;

  using detail::has_parts<traced_tensor>::operator();
  using detail::has_parts<traced_tensor>::operator[];
  constexpr auto row(const auto& i) const {
    return traced_tensor<tensor_of<type.with_shape(shape.without({0}))>>{tracer::row(i), {}};
  }
};

// The results of an op that has several: `auto [values, positions] = ...` or `results[0]`.
template <int Count>
struct tracers {
  tracer at[Count]{};

  constexpr const tracer& operator[](int i) const { return at[i]; }
  template <std::size_t I>
  friend constexpr tracer get(const tracers& all) {
    return all.at[I];
  }
};

namespace detail {

template <class T>
concept is_traced = requires { requires std::remove_cvref_t<T>::is_tracer; };

// Recorded operands need no types of their own.
template <class Operand>
constexpr const auto& untyped(const Operand& operand) {
  if constexpr (is_traced<Operand>)
    return static_cast<const tracer&>(operand);
  else
    return operand;
}

template <class Element>
constexpr index_t bits_of_element(Element value) {
  if constexpr (std::is_integral_v<Element>)
    return index_t(value);
  else if constexpr (sizeof(Element) == 8)
    return bit_cast<index_t>(value);
  else if constexpr (sizeof(Element) == 4)
    return bit_cast<std::int32_t>(value);
  else
    return index_t(bit_cast<std::conditional_t<sizeof(Element) == 1, std::uint8_t, std::uint16_t>>(value));
}

template <class Element>
constexpr void push_element(table<index_t>& words, const Element& value) {
  if constexpr (requires { value.imag; }) {
    words.push(bits_of_element(value.real)), words.push(bits_of_element(value.imag));
  } else {
    words.push(bits_of_element(value));
  }
}

constexpr tracer record_literal(recording& r, const tensor_type& type, int first_word) {
  graph& g = r.program;
  const index_t literal = g.literals.push({graph_literal::place::words, first_word, g.words.size - first_word});
  const int node = append_unchecked(g, kind_of_op<ops::constant>, {&literal, 1}, {{}, {}, {}, r.region}, {&type, 1});
  return {&r, g.nodes.data[node].results};
}

// A constant all of whose elements are this number, or the one that `number` has for the element type.
template <class Number>
constexpr tracer record_number(recording& r, const tensor_type& type, Number number) {
  const int first = r.program.words.size;
  visit(type.element, [&]<class T>() {
    if constexpr (requires { number.template as<T>(); }) {
      push_element(r.program.words, number.template as<T>());
    } else if constexpr (!std::is_arithmetic_v<Number>) {
      push_element(r.program.words, convert_to<T>(number));
    } else {
      if constexpr (is_number_for<T, Number>)
        if (holds_number<T>(number)) return push_element(r.program.words, convert_to<T>(widened_number(number)));
      rules broken;
      broken("number", "the element type holds the number", false);
      r.note_broken<1>(broken, {&type, 1});
      push_element(r.program.words, T{});
    }
  });
  return record_literal(r, type, first);
}

// A tensor whose elements are known while compiling.
template <class Tensor>
constexpr tracer record_tensor(recording& r, const Tensor& tensor) {
  const int first = r.program.words.size;
  for (index_t i = 0; i < Tensor::size; ++i) push_element(r.program.words, tensor.data()[i]);
  return record_literal(r, Tensor::type, first);
}

// A tensor or an expression whose elements are known while compiling becomes a constant.
template <class Operand>
constexpr tracer as_tracer(recording& r, const Operand& operand) {
  if constexpr (is_traced<Operand>)
    return operand;
  else if constexpr (requires { operand.record_values(r); })
    return operand.record_values(r);
  else
    return record_tensor(r, operand);
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
constexpr void push_results(recording& r, const Result& result, table<int>& yields) {
  if constexpr (operand_like<Result>) {
    yields.push(as_tracer(r, result).value);
  } else {
    using std::get;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (push_results(r, get<I>(result), yields), ...);
    }(std::make_index_sequence<std::tuple_size_v<Result>>{});
  }
}

// How many arguments region `Region` of the op has when the op has this many operands.
template <class Op, int Region, int Operands>
constexpr int region_argument_count() {
  tensor_type types[Operands + 1]{};
  tensor_type storage[most_operands];
  table<tensor_type> arguments{storage, 0, most_operands};
  Op{}.region_arguments(Region, {types, Operands}, arguments);
  return arguments.size;
}

// Worked out once, as clang works out what stands within a function whenever the function is called.
template <class Op, int Region, int Operands>
inline constexpr int region_arguments_of_op = region_argument_count<Op, Region, Operands>();

template <class Body, int... I>
constexpr auto body_result(std::integer_sequence<int, I...>) -> decltype(call_body<Body>(((void)I, tracer{})...));

// Traces Body into a new region whose arguments have these types; gives the region.
template <class Body, int... I>
constexpr int trace_region(recording& r, list<tensor_type> arguments, std::integer_sequence<int, I...>) {
  graph& g = r.program;
  const int outside = r.region, region = open_region(g, outside, arguments);
  const int first = g.regions.data[region].arguments;
  int storage[most_operands]{};
  table<int> yields{storage, 0, most_operands};
  r.region = region;
  push_results(r, call_body<Body>(tracer{&r, first + I}...), yields);
  r.region = outside;
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

template <int Region, class Body, class Op, int Operands>
constexpr int trace_region_of(recording& r, const Op& op, const operand_type_array<Operands>& operands) {
  constexpr int count = region_arguments_of_op<Op, Region, Operands>;
  tensor_type storage[count > 0 ? count : 1];
  table<tensor_type> arguments{storage, 0, count};
  op.region_arguments(Region, operands.all, arguments);
  return trace_region<Body>(r, arguments.part(0, count), std::make_integer_sequence<int, count>{});
}

template <class... Bodies, class Op, int... Region, int Operands>
constexpr void trace_regions(recording& r, const Op& op, const operand_type_array<Operands>& operands, int* regions,
                             std::integer_sequence<int, Region...>) {
  ((regions[Region] = trace_region_of<Region, Bodies>(r, op, operands)), ...);
}

// How many ids an op has more than there is room for in any op.
template <class Op>
constexpr int outside_ids(const Op& op) {
  int count = 0;
  for_each_attribute(op, [&](std::string_view, const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, id_table>)
      if (field.size() > id_table::most_inside) count += field.size();
  });
  return count;
}

// An op's attributes.
template <int Most>
struct attribute_words {
  static constexpr int most = Most;
  index_t at[most]{};
  int size = 0;

  template <class Op>
  constexpr explicit attribute_words(const Op& op) {
    table<index_t> words{at, 0, most};
    write_attributes(words, op);
    size = words.size;
  }
  constexpr list<index_t> all() const { return {at, size}; }
};
template <auto Op>
inline constexpr attribute_words<512 + outside_ids(Op)> words_of{Op};

template <class Declared>
struct declared_type_array;
template <tensor_type... Types>
struct declared_type_array<result_types<Types...>> {
  tensor_type at[sizeof...(Types) + 1]{Types...};
  constexpr list<tensor_type> all() const { return {at, int(sizeof...(Types))}; }
};
template <class Declared>
inline constexpr declared_type_array<Declared> declared_types;

// How many results the op has for this many operands, as far as the op alone decides; 0 where its regions decide.
template <class Op, int Declared, int Operands>
constexpr int result_count() {
  tensor_type types[Operands + 1]{}, declared[Declared + 1]{};
  tensor_type storage[most_operands];
  table<tensor_type> results{storage, 0, most_operands};
  rules rule;
  rule.declared = {declared, Declared};
  infer_results(Op{}, rule, {types, Operands}, results);
  return results.size;
}

// How many results an op has that is given these bodies.
template <class Op, int Declared, int Operands, class... Bodies>
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

template <class Op, int Declared, int Operands, class... Bodies>
inline constexpr int results_of_op = result_count_with<Op, Declared, Operands>(bodies<Bodies...>{});

// Checks and records one op on the values; gives its results, a tracer or several. Words are those of the op, or null,
// and then written here.
template <int Operands, int Declared, class Op, class Words, class... Bodies>
constexpr auto record_op(recording& r, const Op& op, Words words, const tensor_type* declared, const int* values,
                         bodies<Bodies...>) {
  graph& g = r.program;
  constexpr int count = results_of_op<Op, Declared, Operands, Bodies...>;
  constexpr int region_count = int(sizeof...(Bodies));
  const operand_type_array<Operands> operands(g, values);
  int regions[region_count + 1]{};
  tensor_type storage[count + 1];
  table<tensor_type> results{storage, 0, count};
  rules rule;
  rule.declared = {declared, Declared};
  rule.details = &g;
  if constexpr (region_count > 0) {
    trace_regions<Bodies...>(r, op, operands, regions, std::make_integer_sequence<int, region_count>{});
    const region_signatures<(region_count > 8 ? region_count : 8)> signatures(g, {regions, region_count});
    rule.regions = signatures.all;
    infer_results(op, rule, operands.all, results);
  } else {
    infer_results(op, rule, operands.all, results);
  }
  if (rule.broken()) r.note_broken<Operands>(rule, operands.all);
  const node_parts parts{{values, Operands}, {regions, region_count}, {}, r.region};
  int node;
  if constexpr (std::is_null_pointer_v<Words>)
    node = append_unchecked(g, op, parts, {storage, count});
  else
    node = append_unchecked(g, kind_of_op<Op>, words, parts, {storage, count});
  const int first = g.nodes.data[node].results;
  if constexpr (count == 1) {
    return tracer{&r, first};
  } else {
    tracers<count> out;
    for (int i = 0; i < count; ++i) out.at[i] = {&r, first + i < g.values.size ? first + i : first};
    return out;
  }
}

// A function of tracers that is used like an op.
template <class Function>
struct function_op {
  using function = Function;
};
template <class T>
inline constexpr bool is_function_op = false;
template <class Function>
inline constexpr bool is_function_op<function_op<Function>> = true;

template <class Function, int... I>
constexpr auto call_function(recording& r, function_op<Function>, const int* values, std::integer_sequence<int, I...>) {
  return Function{}(tracer{&r, values[I]}...);
}

template <auto Op, class Declared, class Bodies, int Operands>
constexpr auto record_constant_op(recording& r, const int* values) {
  if constexpr (is_function_op<std::remove_const_t<decltype(Op)>>)
    return call_function(r, Op, values, std::make_integer_sequence<int, Operands>{});
  else
    return record_op<Operands, declared_count<Declared>>(r, Op, words_of<Op>.all(), declared_types<Declared>.at, values,
                                                         Bodies{});
}

}  // namespace detail

}  // namespace tenon

template <int Count>
struct std::tuple_size<tenon::tracers<Count>> : std::integral_constant<std::size_t, std::size_t(Count)> {};
template <std::size_t I, int Count>
struct std::tuple_element<I, tenon::tracers<Count>> {
  using type = tenon::tracer;
};
