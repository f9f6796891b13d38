// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lifetime.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/graph/ir/tracer.hpp>
#include <tenon/ops/all.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

// Memory for the graph of the bodies of one op, or of a function that is used like one.
inline constexpr graph_sizes graph_of_one_op{.nodes = 128,
                                             .values = 256,
                                             .operands = 384,
                                             .words = 1024,
                                             .types = 64,
                                             .regions = 16,
                                             .region_references = 16,
                                             .functions = 1,
                                             .literals = 64,
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
    graph_storage<graph_of_one_op> storage;
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

// Runs into the broken rule, so that notes show it.
template <auto Op, class Declared, class Bodies, tensor_type... Operands>
constexpr bool report_again(bool valid) {
  if (valid) return true;
  constexpr int operand_count = int(sizeof...(Operands));
  const tensor_type operands[] = {Operands..., tensor_type{}};
  graph_storage<graph_of_one_op> storage;
  recording r{.program = storage.open()};
  r.region = open_region(r.program, -1, {operands, operand_count});
  int values[operand_count + 1]{};
  for (int i = 0; i < operand_count; ++i) values[i] = i;
  record_constant_op<Op, Declared, Bodies, operand_count>(r, values);
  return false;
}

// Ends the compilation if the op breaks a rule for these operands.
template <auto Op, class Declared, class Bodies, class... Operands>
struct checked_op {
  static constexpr const auto& types = inferred<Op, Declared, Bodies, Operands::type...>;
  static constexpr bool valid = types.label == nullptr;
#if defined(__clang__) && __clang_major__ < 15
  static_assert(report_again<Op, Declared, Bodies, Operands::type...>(valid),
                "tenon: the program breaks a rule of StableHLO");
#else
  static_assert(obeys_the_specification<cut_message<types.message.length>(types.message)>,
                "tenon: the program breaks a rule of StableHLO");
#endif
};

template <class Operand>
constexpr bool valid_operand() {
  if constexpr (evaluable<Operand>)
    return Operand::valid;
  else
    return true;
}
template <class Operand>
constexpr int leaves_of_operand() {
  if constexpr (evaluable<Operand>)
    return Operand::leaf_count;
  else
    return 1;
}

// How an operand is kept within an expression: tensors that have a name by reference, everything else by value.
template <class Operand>
struct kept_operand {
  using type = std::remove_cvref_t<Operand>;
};
template <class Operand>
  requires(!evaluable<Operand>)
struct kept_operand<Operand&> {
  using type = const Operand&;
};

template <int I, class Operand>
struct operand_at {
  Operand value;

  template <class Given>
  constexpr explicit operand_at(Given&& given) : value(static_cast<Given&&>(given)) {}
};
template <class Positions, class... Operands>
struct operand_pack;
template <int... I, class... Operands>
struct operand_pack<std::integer_sequence<int, I...>, Operands...> : operand_at<I, Operands>... {
  template <class... Given>
  constexpr explicit operand_pack(std::in_place_t, Given&&... given)
      : operand_at<I, Operands>(static_cast<Given&&>(given))... {}

  template <class Function>
  constexpr void for_each([[maybe_unused]] Function f) const {
    (f(static_cast<const operand_at<I, Operands>&>(*this).value), ...);
  }
};

}  // namespace detail

// An op on tensors or other expressions, not yet computed: assign it to a tensor, or use it in another expression.
// Tensors that have a name are referred to, so an expression must not outlive them: it can be neither copied nor moved,
// only named by `auto`, and `return e;` does not compile. A function that gives an expression takes its operands by
// reference and returns the expression where it makes it; all others return tensors. A subexpression that is used twice
// is computed twice; for more than a few ops use `trace`.
template <auto Op, class Declared, class Bodies, class... Operands>
class expression {
  using checked = detail::checked_op<Op, Declared, Bodies, std::remove_cvref_t<Operands>...>;

 public:
  // False where a rule is broken, which has been reported.
  static constexpr bool valid = checked::valid && (detail::valid_operand<std::remove_cvref_t<Operands>>() && ...);
  static constexpr tensor_type type = checked::types.at[0];
  static constexpr int leaf_count = (0 + ... + detail::leaves_of_operand<std::remove_cvref_t<Operands>>());

  template <class... Given>
  constexpr explicit expression(std::in_place_t, Given&&... operands)
      : operands_(std::in_place, static_cast<Given&&>(operands)...) {}

  // Calls f(tensor) for every tensor below, in the order in which `record` takes them as arguments.
  template <class Function>
  constexpr void for_each_leaf(Function f) const {
    operands_.for_each([&](const auto& operand) {
      if constexpr (detail::evaluable<decltype(operand)>)
        operand.for_each_leaf(f);
      else
        f(operand);
    });
  }
  // Fails if one of the tensors was destroyed after the expression was made, in builds with assertions.
  void check_alive() const {
    operands_.for_each([&](const auto& operand) {
      if constexpr (detail::evaluable<decltype(operand)>)
        operand.check_alive();
      else
        birth_.check_alive(&operand);
    });
  }
  // Calls f(type) for the types of the tensors below.
  template <class Function>
  static constexpr void for_each_leaf_type(Function f) {
    [[maybe_unused]] const auto visit_one = [&]<class Operand>(std::type_identity<Operand>) {
      if constexpr (detail::evaluable<Operand>)
        Operand::for_each_leaf_type(f);
      else
        f(Operand::type);
    };
    (visit_one(std::type_identity<std::remove_cvref_t<Operands>>{}), ...);
  }
  // The types of all results: `size` of them at `at`.
  static constexpr const auto& result_types = checked::types;

  // The expression in a graph, its tensors the next arguments of the region; `argument` is the value of the first.
  static constexpr auto record(detail::recording& r, int& argument) {
    [[maybe_unused]] const auto record_one = [&]<class Operand>(std::type_identity<Operand>) {
      if constexpr (detail::evaluable<Operand>)
        return Operand::record(r, argument).value;
      else
        return argument++;
    };
    // Braces keep the order of the operands.
    const int values[] = {record_one(std::type_identity<std::remove_cvref_t<Operands>>{})..., -1};
    return detail::record_constant_op<Op, Declared, Bodies, int(sizeof...(Operands))>(r, values);
  }
  // The same with its tensors as constants.
  constexpr auto record_values(detail::recording& r) const {
    int values[sizeof...(Operands) + 1]{}, count = 0;
    operands_.for_each([&](const auto& operand) { values[count++] = detail::as_tracer(r, operand).value; });
    return detail::record_constant_op<Op, Declared, Bodies, int(sizeof...(Operands))>(r, values);
  }

 private:
  detail::operand_pack<std::make_integer_sequence<int, int(sizeof...(Operands))>, Operands...> operands_;
  [[no_unique_address]] detail::time_of_birth birth_;

  template <int, class>
  friend struct detail::operand_at;
  constexpr expression(const expression&) = default;
  constexpr expression(expression&&) = default;
};

namespace detail {

// Computes the results of an op that has several; defined in run/evaluate.hpp.
template <class Expression>
auto evaluate_results(const Expression& source);

template <auto Op, class Declared, class Bodies, class... Operands>
constexpr auto make_expression(Operands&&... operands) {
  static_assert(sizeof(checked_op<Op, Declared, Bodies, std::remove_cvref_t<Operands>...>) > 0);
  using made = expression<Op, Declared, Bodies, typename kept_operand<Operands>::type...>;
  if constexpr (made::result_types.size == 1)
    return made(std::in_place, static_cast<Operands&&>(operands)...);
  else
    return evaluate_results(made(std::in_place, static_cast<Operands&&>(operands)...));
}

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

// A plain number as a tensor without dimensions of this element type.
template <dtype Element, class Operand>
constexpr decltype(auto) number_as_tensor(Operand&& operand) {
  if constexpr (operand_like<Operand>)
    return static_cast<Operand&&>(operand);
  else
    return tensor<element_t<Element>>(element_of_number<element_t<Element>>(operand));
}

// A plain number as a tensor of this type, the same everywhere.
template <tensor_type Like, class Operand>
constexpr decltype(auto) number_as_broadcast(Operand&& operand) {
  if constexpr (operand_like<Operand>)
    return static_cast<Operand&&>(operand);
  else
    return make_expression<ops::broadcast_in_dim{}, tenon::result_types<Like>, bodies<>>(
        number_as_tensor<Like.element>(operand));
}

template <auto Op, class... Operands>
constexpr tracer leading_tracer(const Operands&... operands) {
  const std::tuple<const Operands&...> all(operands...);
  return as_tracer(*first_tracer(operands...).into, std::get<leading_operand<Op, Operands...>()>(all));
}

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

// A number as a constant of the full type: one element that stands for all.
template <class Operand>
constexpr tracer as_full_operand(recording& r, const tensor_type& type, const Operand& operand) {
  if constexpr (operand_like<Operand>)
    return as_tracer(r, operand);
  else
    return record_number(r, type, operand);
}

}  // namespace detail

template <auto Op, class Declared, class Bodies, class... Operands>
constexpr auto apply(Operands&&... operands) {
  if constexpr ((detail::is_traced<Operands> || ...)) {
    return detail::apply_traced<Op, Declared, Bodies>(operands...);
  } else if constexpr (sizeof...(Operands) == 0) {
    return detail::make_expression<Op, Declared, Bodies>();
  } else {
    constexpr tensor_type like = detail::leading_type<Op, Operands...>::type;
    return detail::make_expression<Op, Declared, Bodies>(
        detail::number_as_tensor<like.element>(static_cast<Operands&&>(operands))...);
  }
}

template <auto Op, class... Operands>
constexpr auto apply_elementwise(Operands&&... operands) {
  if constexpr ((detail::is_traced<Operands> && ...)) {
    return detail::apply_traced<Op, result_types<>, bodies<>>(operands...);
  } else if constexpr ((detail::is_traced<Operands> || ...)) {
    const tracer like = detail::leading_tracer<Op>(operands...);
    const tensor_type type = detail::type_of_numbers<Op, Operands...>(like.type());
    return detail::apply_traced<Op, result_types<>, bodies<>>(detail::as_full_operand(*like.into, type, operands)...);
  } else {
    constexpr tensor_type like = detail::type_of_numbers<Op, Operands...>(detail::leading_type<Op, Operands...>::type);
    return detail::make_expression<Op, result_types<>, bodies<>>(
        detail::number_as_broadcast<like>(static_cast<Operands&&>(operands))...);
  }
}

template <class Bodies, class Op, class... Operands>
constexpr auto apply_value(const Op& op, list<tensor_type> declared, const Operands&... operands) {
  const tracer& like = detail::first_tracer(operands...);
  const int values[] = {detail::as_operand(like, operands).value...};
  const detail::attribute_words words(op);
  constexpr int count = int(sizeof...(Operands));
  if (declared.empty()) return detail::record_op<count, 0>(*like.into, op, words.all(), nullptr, values, Bodies{});
  return detail::record_op<count, 1>(*like.into, op, words.all(), declared.data, values, Bodies{});
}

template <class Neighbour, class Op>
constexpr auto apply_value_beside(const Neighbour& neighbour, const Op& op, list<tensor_type> declared) {
  const int none = -1;
  const detail::attribute_words words(op);
  return detail::record_op<0, 1>(*neighbour.into, op, words.all(), declared.data, &none, bodies<>{});
}

template <class Function, class... Operands>
constexpr auto apply_function(Function, Operands&&... operands) {
  if constexpr ((detail::is_traced<Operands> || ...))
    return Function{}(operands...);
  else
    return detail::make_expression<detail::function_op<Function>{}, result_types<>, bodies<>>(
        static_cast<Operands&&>(operands)...);
}

template <class T>
constexpr tensor_type type_of_operand(const T& operand) {
  if constexpr (detail::is_traced<T>)
    return operand.type();
  else
    return T::type;
}

}  // namespace tenon
