// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#and
struct and_ {
  static constexpr std::string_view name = "and";
  static constexpr bool associative = true, commutative = true;
  static constexpr neutral_element neutral = neutral_element::all_bits;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_type(rule, {"and_i1", "and_i2", "and_c1"}, accepts::boolean_or_integer, lhs, rhs);
  }

  // Booleans: logical and. Integers: bit by bit.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    return T(lhs & rhs);
  }

  template <class D, class V>
  static V lanes(D, V lhs, V rhs) {
    return hn::And(lhs, rhs);
  }
};

}  // namespace tenon::ops

namespace tenon {

// Logical and of booleans, bitwise and of integers, element by element. Booleans and integers; operands and result have
// one type, one operand may be a number. Also `x & y`.
constexpr auto and_(auto&& lhs, auto&& rhs, elementwise_check<ops::and_{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::and_{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
