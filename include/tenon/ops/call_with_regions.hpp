// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>

#include <type_traits>

namespace tenon::ops {

// A call of `Op` on operands, then on one or two functions, which are what its regions do. Those are moved to the
// front.
template <auto Op, int Operands, int Bodies, class First, class... Rest>
  requires(Operands >= 0)
struct regions_call : regions_call<Op, Operands - 1, Bodies, Rest..., First> {
  static constexpr auto call(First&& first, Rest&&... rest) {
    return regions_call<Op, Operands - 1, Bodies, Rest..., First>::call(static_cast<Rest&&>(rest)...,
                                                                        static_cast<First&&>(first));
  }
};
template <auto Op, class Bodies, class... Operands>
struct call_of_regions {
  using checked = detail::checked_call<op_call<Op, result_types<>, Bodies>, Operands...>;
  using broken = detail::broken_call<op_call<Op, result_types<>, Bodies>, Operands...>;
  static constexpr auto apply(Operands&&... operands) {
    return tenon::apply<Op, result_types<>, Bodies>(static_cast<Operands&&>(operands)...);
  }
};
template <auto Op, class Body, class... Operands>
struct regions_call<Op, 0, 1, Body, Operands...> : call_of_regions<Op, bodies<std::remove_cvref_t<Body>>, Operands...> {
  static constexpr auto call(Body&&, Operands&&... operands) {
    return regions_call::apply(static_cast<Operands&&>(operands)...);
  }
};
template <auto Op, class First, class Second, class... Operands>
struct regions_call<Op, 0, 2, First, Second, Operands...>
    : call_of_regions<Op, bodies<std::remove_cvref_t<First>, std::remove_cvref_t<Second>>, Operands...> {
  static constexpr auto call(First&&, Second&&, Operands&&... operands) {
    return regions_call::apply(static_cast<Operands&&>(operands)...);
  }
};

template <auto Op, int Bodies, class... Arguments>
using call_of_arguments = regions_call<Op, int(sizeof...(Arguments)) - Bodies, Bodies, Arguments...>;

// The op `Op` on all arguments but the last `Bodies`.
template <auto Op, int Bodies = 1, class... Arguments>
constexpr auto call_with_regions(Arguments&&... arguments) {
  return call_of_arguments<Op, Bodies, Arguments...>::call(static_cast<Arguments&&>(arguments)...);
}

// For the function that a user calls, and for a deleted overload that says which rule it breaks.
template <auto Op, int Bodies, class... Arguments>
using regions_kept = typename call_of_arguments<Op, Bodies, Arguments...>::checked::outcome::kept;
template <auto Op, int Bodies, class... Arguments>
using regions_broken = typename call_of_arguments<Op, Bodies, Arguments...>::broken::broken_function;

}  // namespace tenon::ops
