// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/run/evaluate.hpp>
#include <tenon/run/invoke.hpp>

#include <type_traits>

namespace tenon {

namespace detail {

template <class Argument>
using traced_argument = std::conditional_t<is_tensor<Argument>, traced_tensor<Argument>, tracer>;

template <class Argument>
const traced_argument<argument_tensor<Argument>> traced_as;

template <class T>
concept is_traced_tree = requires { requires T::holds_tracers; };
// Runs a traced function some of whose arguments are structs of tensors; defined in tree.hpp.
template <class Function, class... Arguments>
auto call_with_trees(const Arguments&... arguments);

// Arguments of a traced function; within another one, and in structs, they are looked at where they are used.
template <class Traced, class... Arguments>
using checked_traced = typename std::conditional_t<
    ((is_traced<Arguments> || is_traced_tree<Arguments> || execution::is_tree<Arguments>) || ...),
    std::type_identity<kept_rules>, execution::checked_arguments_of<Traced, Arguments...>>::type;

// A function object without captures, called with tracers of these types.
template <class Function, class... Arguments>
struct traced_body {
  static constexpr int argument_count = int(sizeof...(Arguments));

  static constexpr void write_types(tensor_type* types) { ((*types++ = Arguments::type), ...); }
  template <int... I>
  static constexpr auto call(recording& r, int first, std::integer_sequence<int, I...>) {
    return Function{}(traced_argument<Arguments>{{&r, first + I}, {}}...);
  }
};

}  // namespace detail

// A function whose ops are recorded once per choice of argument types, while compiling, and run as one program: common
// subexpressions are computed once, ops are fused, temporaries lie in one arena of known size.
//
//   constexpr auto layer = trace([](auto x, auto w) { return tanh(dot(x, w)); });
//   tensor<f32, 8, 10> y = layer(x, w);
//   layer.into(y)(x, w);                              // the same without a copy, and without an allocation
//   static_assert(layer.arena_bytes<tensor<f32, 8, 784>, tensor<f32, 784, 10>> < 4096);
//
// Within the function, tensors that are known while compiling and plain numbers become constants.
template <class Function>
class traced : public execution::callable<traced<Function>> {
  static constexpr bool has_no_captures = std::is_empty_v<Function> && std::is_default_constructible_v<Function>;
  static_assert(has_no_captures, "tenon: a traced function has no captures: give it what it needs as arguments");

 public:
  static constexpr bool gives_single_tensors = true, is_typed = false;

  template <class... Arguments>
  using body = detail::traced_body<Function, execution::argument_tensor<Arguments>...>;
  template <class... Arguments>
  static constexpr bool takes =
      detail::callable_with<Function, detail::traced_argument<execution::argument_tensor<Arguments>>...>;
  // Asked before all else, so that messages begin with the function.
  template <class... Arguments>
  static constexpr bool compiles = takes<Arguments...> && requires { Function{}(detail::traced_as<Arguments>...); };
  // The program for arguments of these types, tensors or views: graph(), plan(), arena_bytes, fused_groups.
  template <class... Arguments>
  using program_for = execution::compiled<detail::recorded<body<Arguments...>>>;
  // False where the function breaks a rule for these types, which a call reports.
  template <class... Arguments>
  static constexpr bool valid = detail::recorded<body<Arguments...>>::valid;
  template <class... Arguments>
  using checked = detail::checked_recording<body<Arguments...>>;

  template <class... Arguments>
  static constexpr index_t arena_bytes = []() -> index_t {
    if constexpr (compiles<Arguments...>) return program_for<Arguments...>::arena_bytes;
    return 0;
  }();
  template <class... Arguments>
  static constexpr int fused_groups = []() -> int {
    if constexpr (compiles<Arguments...>) return program_for<Arguments...>::fused_groups;
    return 0;
  }();

  // One result as a tensor, several as `results`. Within another traced function the ops are recorded there.
  template <class... Arguments, class Rules = typename detail::checked_traced<traced, Arguments...>::kept>
  constexpr auto operator()(const Arguments&... arguments) const {
    if constexpr (!has_no_captures)
      return execution::broken{};
    else if constexpr ((detail::is_traced<Arguments> || ...) || (detail::is_traced_tree<Arguments> || ...))
      return Function{}(arguments...);
    else if constexpr ((execution::is_tree<Arguments> || ...))
      return detail::call_with_trees<Function>(arguments...);
    else if constexpr (!compiles<Arguments...>)
      return execution::broken{};
    else
      return this->directed()(arguments...);
  }
  template <class... Arguments, class Rule = typename detail::checked_traced<traced, Arguments...>::broken_function>
  void operator()(const Arguments&...) const = delete;
};

// @param Function a generic function object without captures: trace([](auto x, auto y) { return x + y; })
template <class Function>
constexpr traced<Function> trace(Function) {
  return {};
}

}  // namespace tenon
