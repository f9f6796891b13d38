// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#not
struct not_ {
  static constexpr std::string_view name = "not";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"not_i1", "not_c1"}, accepts::boolean_or_integer, operand);
  }

  // Booleans: logical not. Integers: bit by bit.
  template <class T>
  static constexpr T element(T operand) {
    if constexpr (std::same_as<T, bool>)
      return !operand;
    else
      return T(~operand);
  }

  template <class D, class V>
  static V lanes(D, V operand) {
    return hn::Not(operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

// Logical not of booleans, all bits inverted of integers; the result has the type of x. Also `!x` and `~x`.
constexpr auto not_(operand_like auto&& x, elementwise_check<ops::not_{}, decltype(x)> = {}) {
  return apply_elementwise<ops::not_{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
