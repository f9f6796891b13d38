// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/broken_rule.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/list.hpp>
#include <tenon/core/tensor_type.hpp>

#include <concepts>
#include <type_traits>

namespace tenon {

// A tensor, an expression or a traced value: what the functions named after ops take.
template <class T>
concept operand_like = requires {
  { std::remove_cvref_t<T>::type } -> std::convertible_to<tensor_type>;
} || requires { requires std::remove_cvref_t<T>::is_tracer; };

// Operands of an elementwise op as it is written in C++: at least one that is `operand_like`, and plain numbers.
template <class... T>
concept elementwise_operands =
    (operand_like<T> || ...) &&
    ((operand_like<T> || std::is_arithmetic_v<std::remove_cvref_t<T>> || element_like<std::remove_cvref_t<T>>) && ...);

// Types written for the results of an op, where the operands do not decide them (reshape, convert, iota ...).
template <tensor_type... Types>
struct result_types {
  static constexpr int size = sizeof...(Types);
};

// The bodies of an op's regions: per region an op (`ops::add{}`) or a function object without captures.
template <class... Bodies>
struct bodies {
  static constexpr int size = sizeof...(Bodies);
};

// A call of an op, of an elementwise one, of a function made of ops.
template <auto Op, class Declared = result_types<>, class Bodies = bodies<>>
struct op_call;
template <auto Op>
struct elementwise_call;
template <class Function>
struct function_call;

namespace detail {

inline constexpr auto complaint_about_headers =
    complain("header", "what computes is missing: include <tenon/tensors.hpp>");

// Whether a call keeps the rules: `outcome` is kept_rules, or a broken_rule. Defined in graph/ir/check.hpp.
template <class Call, class... Operands>
struct checked_call;

// The error of a call with a tensor operand: a broken rule, or the missing header.
template <class Call, class... Operands>
constexpr auto find_broken() {
  if constexpr (requires { sizeof(checked_call<Call, Operands...>); })
    return std::type_identity<typename checked_call<Call, Operands...>::outcome>{};
  else
    return std::type_identity<outcome_of<complaint_about_headers>>{};
}
template <class Call, class... Operands>
struct broken_call {};
template <class Call, class... Operands>
  requires(operand_like<Operands> || ...)
struct broken_call<Call, Operands...> : decltype(find_broken<Call, Operands...>())::type {};

}  // namespace detail

// Asks the rules where a function is called, so that messages begin on that line: the last parameter of functions named
// after ops, which nobody gives. There is no such type for what is no operand, and no value of it where a rule is
// broken.
template <auto Op, class... Operands>
using elementwise_check = typename detail::checked_call<elementwise_call<Op>, Operands...>::outcome::type;
template <auto Op, class Declared, class... Operands>
using op_check = typename detail::checked_call<op_call<Op, Declared>, Operands...>::outcome::type;
template <class Function, class... Operands>
using function_check = typename detail::checked_call<function_call<Function>, Operands...>::outcome::type;

// The same for operators and functions of any number of operands, which cannot have such a parameter: a type if the
// call keeps all rules, and one for a deleted overload if it breaks one, `call_broken_by` for functions.
template <class Call, class... Operands>
using rules_kept_by = typename detail::checked_call<Call, Operands...>::outcome::kept;
template <class Call, class... Operands>
using rule_broken_by = typename detail::broken_call<Call, Operands...>::broken;
template <class Call, class... Operands>
using call_broken_by = typename detail::broken_call<Call, Operands...>::broken_function;

// The op `Op` on these operands: tensors and expressions give an expression, operands of a function that is being
// traced record the op. Defined in graph/ir/expression.hpp, so that an op's file needs to know neither.
template <auto Op, class Declared = result_types<>, class Bodies = bodies<>, class... Operands>
constexpr auto apply(Operands&&... operands);

// The same for elementwise ops, where a plain number stands for a tensor of that number.
template <auto Op, class... Operands>
constexpr auto apply_elementwise(Operands&&... operands);

// For functions that are made of ops: calls `Function{}` with traced values that stand for the operands, so that what
// it computes depends on their types, and what it uses twice is computed once.
template <class Function, class... Operands>
constexpr auto apply_function(Function, Operands&&... operands);

// Within such a function: an op whose attributes, and the type written for its result, if any, are not constants.
template <class Bodies = bodies<>, class Op, class... Operands>
constexpr auto apply_value(const Op& op, core::list<tensor_type> declared, const Operands&... operands);

// The same for an op without operands; it is recorded where the neighbour is.
template <class Neighbour, class Op>
constexpr auto apply_value_beside(const Neighbour& neighbour, const Op& op, core::list<tensor_type> declared);

// The type of a tensor, an expression or a traced value.
template <class T>
constexpr tensor_type type_of_operand(const T& operand);

namespace detail {

// A second call operator, which needs a conversion of its arguments, as the function's own needs one of its object:
// where both can be called, the call is ambiguous, and no body is instantiated.
template <class Argument>
struct converted_from {
  converted_from(const Argument&);
};
template <class Function, class... Arguments>
struct ambiguous_where_callable : Function {
  using Function::operator();
  void operator()(converted_from<Arguments>...);
};

// Whether a function object takes these arguments, without compiling its body, after which clang may answer no.
template <class Function, class... Arguments>
concept callable_with =
    (sizeof...(Arguments) == 0 && requires(Function f) { f(); }) ||
    !requires(ambiguous_where_callable<Function, Arguments...> f, const Arguments&... given) { f(given...); };
template <class Function, class... Values>
concept function_of_region =
    std::is_empty_v<Function> && std::is_default_constructible_v<Function> && callable_with<Function, Values...>;

}  // namespace detail

}  // namespace tenon
