// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/run/evaluate.hpp>
#include <tenon/run/invoke.hpp>

#include <type_traits>

namespace tenon {

namespace detail {

// A function object without captures, called with tracers of these types.
template <class Function, class... Arguments>
struct traced_body {
  static constexpr int argument_count = int(sizeof...(Arguments));

  static constexpr void write_types(tensor_type* types) { ((*types++ = Arguments::type), ...); }
  template <int... I>
  static constexpr auto call(recording& r, int first, std::integer_sequence<int, I...>) {
    return Function{}(tracer{&r, first + I}...);
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
class traced : public detail::callable<traced<Function>> {
  static constexpr bool has_no_captures = std::is_empty_v<Function> && std::is_default_constructible_v<Function>;
  static_assert(has_no_captures, "tenon: a traced function has no captures: give it what it needs as arguments");

 public:
  static constexpr bool gives_single_tensors = true;

  template <class... Arguments>
  using body = detail::traced_body<Function, detail::argument_tensor<Arguments>...>;
  // The program for arguments of these types, tensors or views: graph(), plan(), arena_bytes, fused_groups.
  template <class... Arguments>
  using program_for = compiled<detail::recorded<body<Arguments...>>>;
  // False where the function breaks a rule for these types, which a call reports.
  template <class... Arguments>
  static constexpr bool valid = detail::recorded<body<Arguments...>>::valid;
  template <class... Arguments>
  using checked = detail::checked_recording<body<Arguments...>>;

  template <class... Arguments>
  static constexpr index_t arena_bytes = program_for<Arguments...>::arena_bytes;
  template <class... Arguments>
  static constexpr int fused_groups = program_for<Arguments...>::fused_groups;

  // One result as a tensor, several as `results`. Within another traced function the ops are recorded there.
  template <class... Arguments>
  constexpr auto operator()(const Arguments&... arguments) const {
    if constexpr (!has_no_captures)
      return detail::broken{};
    else if constexpr ((detail::is_traced<Arguments> || ...))
      return Function{}(arguments...);
    else
      return this->directed()(arguments...);
  }
};

// @param Function a generic function object without captures: trace([](auto x, auto y) { return x + y; })
template <class Function>
constexpr traced<Function> trace(Function) {
  return {};
}

}  // namespace tenon
