// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/broken_rule.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/graph/ir/tracer.hpp>
#include <tenon/ops/all.hpp>

#include <type_traits>

namespace tenon::ir {

// How many times as much memory a function needs as an op with bodies: one of many ops says so.
template <auto Op>
inline constexpr int parts_of_one_op = 1;
template <auto Op>
  requires is_function_op<std::remove_const_t<decltype(Op)>>
inline constexpr int parts_of_one_op<Op> = [] {
  if constexpr (requires { decltype(Op)::function::parts; }) return decltype(Op)::function::parts;
  return 1;
}();

// Memory for the graph of the bodies of one op, or of a function that is used like one.
template <auto Op, int Parts = parts_of_one_op<Op>>
inline constexpr graph_sizes graph_of_one_op{.nodes = 128 * Parts,
                                             .values = 256 * Parts,
                                             .operands = 384 * Parts,
                                             .words = 1024 * Parts + outside_ids(Op),
                                             .types = 64 * Parts,
                                             .regions = 16,
                                             .region_references = 16,
                                             .functions = 1,
                                             .literals = 64 * Parts,
                                             .names = 4,
                                             .characters = 128};

// The result types of an op for operands of these types, or the rule that it breaks.
template <int Count>
struct inferred_types {
  static constexpr int size = Count;
  tensor_type at[Count > 0 ? Count : 1]{};
  const char* label = nullptr;
  message_text<1000> message;
};

template <auto Op, class Declared, tensor_type... Operands, class... Bodies>
constexpr auto infer_types(bodies<Bodies...>) {
  using op_type = std::remove_const_t<decltype(Op)>;
  constexpr int operand_count = int(sizeof...(Operands));
  const tensor_type operands[] = {Operands..., tensor_type{}};
  if constexpr (sizeof...(Bodies) > 0 || is_function_op<op_type>) {
    graph_storage<graph_of_one_op<Op>> storage;
    recording r{.program = storage.open(), .stops_at_broken_rule = false};
    r.region = open_region(r.program, -1, {operands, operand_count});
    int values[operand_count + 1]{};
    for (int i = 0; i < operand_count; ++i) values[i] = i;
    const auto recorded = record_constant_op<Op, Declared, bodies<Bodies...>, operand_count>(r, values);
    constexpr int count = traced_count<std::remove_const_t<decltype(recorded)>>();
    inferred_types<count> result;
    int yields_storage[count + 1]{};
    table<int> yields{yields_storage, 0, count};
    push_results(r, recorded, yields);
    for (int i = 0; i < count; ++i) result.at[i] = r.program.type_of_value(yields.data[i]);
    result.label = r.label;
    result.message = message_of_rule(r.label, r.sentence, {r.operands, r.operand_count});
    return result;
  } else {
    constexpr int count = result_count<op_type, declared_count<Declared>, operand_count>();
    inferred_types<count> result;
    table<tensor_type> results{result.at, 0, count};
    rules rule;
    rule.declared = declared_types<Declared>.all();
    infer_results(Op, rule, {operands, operand_count}, results);
    result.label = rule.label;
    const bool is_declared = !rule.declared.empty();
    result.message =
        message_of_rule(rule.label, rule.sentence, {operands, operand_count}, {result.at, is_declared ? count : 0});
    return result;
  }
}

template <auto Op, class Declared, class Bodies, tensor_type... Operands>
inline constexpr auto inferred = infer_types<Op, Declared, Operands...>(Bodies{});

// The type of an operand, where numbers among them become tensors, or that of a number.
struct given_type {
  tensor_type type;
  bool is_number = false;
};
template <class Operand>
constexpr given_type given_type_of() {
  if constexpr (operand_like<Operand>)
    return {std::remove_cvref_t<Operand>::type};
  else
    return {type_of(dtype_of<std::remove_cvref_t<Operand>>), true};
}

// The type that numbers stand for. Its element type is that of the first operand from `First` on that is no number (of
// the number there where all are: `select(pred, 1.0f, 0.0f)`), its shape that of the first operand with dimensions.
template <auto Op>
inline constexpr int typing_operand = 0;
template <auto Op>
  requires(Op.typed_by > 0)
inline constexpr int typing_operand<Op> = Op.typed_by;
constexpr tensor_type type_of_numbers(list<given_type> given, int first) {
  int typing = first;
  while (typing + 1 < given.size && given[typing].is_number) ++typing;
  if (given[typing].is_number) typing = first;
  tensor_type result = given[typing].type;
  for (int i = first; i < first + given.size && result.rank() == 0; ++i) {
    const tensor_type& type = given[i % given.size].type;
    result.shape = type.shape, result.bounded = type.bounded;
  }
  return result;
}
// Whether an operand is spread over that type: a tensor without dimensions, as a number is.
constexpr bool is_spread(const tensor_type& type, const tensor_type& like) {
  return type.rank() == 0 && like.rank() > 0 && like.bounded == 0 && type == like.with_shape({});
}
template <auto Op, class... Operands>
inline constexpr tensor_type common_type = [] {
  const given_type given[] = {given_type_of<Operands>()...};
  return type_of_numbers({given, int(sizeof...(Operands))}, typing_operand<Op>);
}();

// The type of an operand, or `like` for one that stands for it.
template <class Operand>
constexpr tensor_type type_among(const tensor_type& like) {
  const given_type given = given_type_of<Operand>();
  return given.is_number || is_spread(given.type, like) ? like : given.type;
}
template <dtype Element, class Operand>
constexpr bool stands_for() {
  if constexpr (operand_like<Operand>)
    return true;
  else
    return is_number_for<element_t<Element>, std::remove_cvref_t<Operand>>;
}

struct no_call {};

template <tensor_type Like>
inline constexpr auto number_with_fraction = complain(
    "number", "a number with a fraction is no element of an integer type: write an integer, or convert the ", Like);

// Functions for the regions of an op that take another number of values than these have, or captures.
template <auto Op, int Operands, class Bodies>
inline constexpr complaint complaint_about_bodies;
template <auto Op, int Operands, class... Bodies>
  requires(sizeof...(Bodies) > 0)
inline constexpr auto complaint_about_bodies<Op, Operands, bodies<Bodies...>> = [] {
  complaint result;
  const auto check = [&]<class Body, int... I>(std::type_identity<Body>, std::integer_sequence<int, I...>) {
    if constexpr (!op<Body>)
      if (!function_of_region<Body, std::conditional_t<(I >= 0), tracer, void>...>)
        result = complain("body", Op.name, " takes a function of ", int(sizeof...(I)), " values, without captures");
  };
  [&]<class Kind, int... Region>(Kind, std::integer_sequence<int, Region...>) {
    (check(std::type_identity<Bodies>{},
           std::make_integer_sequence<int, region_arguments_of_op<Kind, Region, Operands>>{}),
     ...);
  }(Op, std::make_integer_sequence<int, int(sizeof...(Bodies))>{});
  return result;
}();

// Untyped operands are checked as they are recorded.
template <class... Operands>
inline constexpr bool are_typed = !(std::is_same_v<std::remove_cvref_t<Operands>, tracer> || ...);

// The outcome of a call, whose `Call` gives the type that numbers stand for and the types of the results.
template <class Call, bool IsCall, class... Operands>
struct checked_operands {
  static constexpr complaint wrong_bodies{};
  static constexpr auto check() {
    if constexpr (!IsCall) {
      return std::type_identity<no_call>{};
    } else if constexpr (Call::wrong_bodies.message.length > 0) {
      return find_outcome<Call::wrong_bodies>();
    } else if constexpr (!are_typed<Operands...>) {
      return std::type_identity<kept_rules>{};
    } else if constexpr (!(stands_for<Call::like().element, Operands>() && ...)) {
      return find_outcome<number_with_fraction<Call::like()>>();
    } else {
      return find_outcome<Call::types()>();
    }
  }
};

}  // namespace tenon::ir

namespace tenon::detail {

template <auto Op, class... Operands>
struct checked_call<elementwise_call<Op>, Operands...>
    : checked_operands<checked_call<elementwise_call<Op>, Operands...>, elementwise_operands<Operands...>,
                       Operands...> {
  static constexpr tensor_type like() { return common_type<Op, Operands...>; }
  static constexpr const auto& types() {
    return inferred<Op, result_types<>, bodies<>, type_among<Operands>(like())...>;
  }
  using outcome = typename decltype(checked_call::check())::type;
};

template <auto Op, class Declared, class Bodies, class... Operands>
struct checked_call<op_call<Op, Declared, Bodies>, Operands...>
    : checked_operands<checked_call<op_call<Op, Declared, Bodies>, Operands...>, (operand_like<Operands> || ...),
                       Operands...> {
  static constexpr const auto& wrong_bodies = complaint_about_bodies<Op, int(sizeof...(Operands)), Bodies>;
  static constexpr tensor_type like() { return common_type<Op, Operands...>.with_shape({}); }
  static constexpr const auto& types() { return inferred<Op, Declared, Bodies, type_among<Operands>(like())...>; }
  using outcome = typename decltype(checked_call::check())::type;
};

template <class Function, class... Operands>
struct checked_call<function_call<Function>, Operands...>
    : checked_call<op_call<function_op<Function>{}, result_types<>, bodies<>>, Operands...> {};

}  // namespace tenon::detail

namespace tenon::ir {

// A recorded result, with its type if the types of all operands are known.
template <class Call, class... Operands, class Recorded>
constexpr auto typed(const Recorded& recorded) {
  if constexpr (are_typed<Operands...> && std::is_same_v<Recorded, tracer>) {
    constexpr const auto& types = checked_call<Call, Operands...>::types();
    constexpr tensor_type type = types.at[0];
    if constexpr (types.message.length == 0 && type.is_tensor() && !type.is_quantized() && type.bounded == 0)
      return traced_tensor<tensor_of<type>>{recorded, {}};
    else
      return recorded;
  } else {
    return recorded;
  }
}

}  // namespace tenon::ir
