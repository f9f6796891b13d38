// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/broken_rule.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/graph/ir/tracer.hpp>
#include <tenon/ops/all.hpp>

#include <tuple>
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

// What an op gives for operands of these types, or the rule that it breaks.
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
    result.message = message_of_rule(rule.label, rule.sentence, {operands, operand_count});
    return result;
  }
}

template <auto Op, class Declared, class Bodies, tensor_type... Operands>
inline constexpr auto inferred = infer_types<Op, Declared, Operands...>(Bodies{});

// Which operand decides what a number among the others means: the one that types the op, if it is no number itself.
template <auto Op, class... Operands>
constexpr int leading_operand() {
  constexpr bool is_operand[] = {operand_like<Operands>...};
  int first = 0;
  if constexpr (requires { Op.typed_by; }) first = Op.typed_by > 0 ? Op.typed_by : 0;
  for (int i = first; i < int(sizeof...(Operands)); ++i)
    if (is_operand[i]) return i;
  for (int i = 0; i < int(sizeof...(Operands)); ++i)
    if (is_operand[i]) return i;
  return 0;
}
template <auto Op, class... Operands>
using leading_type =
    std::remove_cvref_t<std::tuple_element_t<leading_operand<Op, Operands...>(), std::tuple<Operands...>>>;

// What numbers stand for beside a leading operand of this type: tensors of that type, or of the shape alone where the
// operands that would decide the element type are all numbers, which then keep their own (`select(pred, 1.0f, 0.0f)`).
template <auto Op, class... Operands>
constexpr tensor_type type_of_numbers(tensor_type leading) {
  if constexpr (requires { Op.typed_by; }) {
    if constexpr (leading_operand<Op, Operands...>() < Op.typed_by) {
      using number = std::remove_cvref_t<std::tuple_element_t<Op.typed_by, std::tuple<Operands...>>>;
      leading.element = dtype_of<number>;
    }
  }
  return leading;
}

// The type of an operand, or `like` for a number among them.
template <class Operand>
constexpr tensor_type type_among(const tensor_type& like) {
  if constexpr (operand_like<Operand>)
    return std::remove_cvref_t<Operand>::type;
  else
    return like;
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
inline constexpr auto number_with_fraction = [] {
  inferred_types<0> result;
  result.label = "number";
  result.message = message_of_rule(
      result.label,
      "a number with a fraction is no element of an integer type: write an integer, or convert the tensor", {&Like, 1});
  return result;
}();

// What is not typed is checked as it is recorded.
template <class... Operands>
inline constexpr bool are_typed = !(std::is_same_v<std::remove_cvref_t<Operands>, tracer> || ...);

// The outcome of a call, whose `Call` gives the type that numbers stand for and the types of the results.
template <class Call, bool IsCall, class... Operands>
struct checked_operands {
  static constexpr auto check() {
    if constexpr (!IsCall) {
      return std::type_identity<no_call>{};
    } else if constexpr (!are_typed<Operands...>) {
      return std::type_identity<kept_rules>{};
    } else {
      if constexpr (!(stands_for<Call::like().element, Operands>() && ...))
        return find_outcome<number_with_fraction<Call::like()>>();
      else
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
  static constexpr tensor_type like() { return type_of_numbers<Op, Operands...>(leading_type<Op, Operands...>::type); }
  static constexpr const auto& types() {
    return inferred<Op, result_types<>, bodies<>, type_among<Operands>(like())...>;
  }
  using outcome = typename decltype(checked_call::check())::type;
};

template <auto Op, class Declared, class Bodies, class... Operands>
struct checked_call<op_call<Op, Declared, Bodies>, Operands...>
    : checked_operands<checked_call<op_call<Op, Declared, Bodies>, Operands...>, (operand_like<Operands> || ...),
                       Operands...> {
  static constexpr tensor_type like() { return leading_type<Op, Operands...>::type.with_shape({}); }
  static constexpr const auto& types() { return inferred<Op, Declared, Bodies, type_among<Operands>(like())...>; }
  using outcome = typename decltype(checked_call::check())::type;
};

template <class Function, class... Operands>
struct checked_call<function_call<Function>, Operands...>
    : checked_call<op_call<function_op<Function>{}, result_types<>, bodies<>>, Operands...> {};

}  // namespace tenon::detail

namespace tenon::ir {

// What was recorded, with the type that the call gives if the types of all operands are known.
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
