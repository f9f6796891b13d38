// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>

#include <type_traits>

namespace tenon::ops {

// Moves the operands behind the bodies, one by one.
template <auto Op, int Operands, int Bodies>
struct bodies_first {
  template <class First, class... Rest>
  static constexpr auto call(First&& first, Rest&&... rest) {
    if constexpr (Operands > 0)
      return bodies_first<Op, Operands - 1, Bodies>::call(static_cast<Rest&&>(rest)..., static_cast<First&&>(first));
    else if constexpr (Bodies == 1)
      return apply<Op, result_types<>, bodies<std::remove_cvref_t<First>>>(static_cast<Rest&&>(rest)...);
    else
      return with_two<First>(static_cast<Rest&&>(rest)...);
  }

 private:
  template <class First, class Second, class... Rest>
  static constexpr auto with_two(Second&&, Rest&&... rest) {
    return apply<Op, result_types<>, bodies<std::remove_cvref_t<First>, std::remove_cvref_t<Second>>>(
        static_cast<Rest&&>(rest)...);
  }
};

// The op `Op` on all arguments but the last `Bodies` (1 or 2), which are what its regions do.
template <auto Op, int Bodies = 1, class... Arguments>
constexpr auto call_with_regions(Arguments&&... arguments) {
  return bodies_first<Op, int(sizeof...(Arguments)) - Bodies, Bodies>::call(static_cast<Arguments&&>(arguments)...);
}

}  // namespace tenon::ops
