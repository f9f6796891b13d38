// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#or
struct or_ {
  static constexpr std::string_view name = "or";
  static constexpr bool associative = true, commutative = true;
  static constexpr neutral_element neutral = neutral_element::no_bits;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_type(rule, {"or_i1", "or_i2", "or_c1"}, accepts::boolean_or_integer, lhs, rhs);
  }

  // Booleans: logical or. Integers: bit by bit.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    return T(lhs | rhs);
  }

  template <class D, class V>
  static V lanes(D, V lhs, V rhs) {
    return hn::Or(lhs, rhs);
  }
};

}  // namespace tenon::ops

namespace tenon {

// Logical or of booleans, bitwise or of integers, element by element. Booleans and integers; operands and result have
// one type, one operand may be a number. Also `x | y`.
constexpr auto or_(auto&& lhs, auto&& rhs, elementwise_check<ops::or_{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::or_{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
