// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#xor
struct xor_ {
  static constexpr std::string_view name = "xor";
  static constexpr bool associative = true, commutative = true;
  static constexpr neutral_element neutral = neutral_element::no_bits;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_type(rule, {"xor_i1", "xor_i2", "xor_c1"}, accepts::boolean_or_integer, lhs, rhs);
  }

  // Booleans: logical exclusive or. Integers: bit by bit.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    return T(lhs ^ rhs);
  }

  template <class D, class V>
  static V lanes(D, V lhs, V rhs) {
    return hn::Xor(lhs, rhs);
  }
};

}  // namespace tenon::ops

namespace tenon {

// Exclusive or of booleans, of the bits of integers, element by element. Booleans and integers; operands and result
// have one type, one operand may be a number. Also `x ^ y`.
constexpr auto xor_(auto&& lhs, auto&& rhs, elementwise_check<ops::xor_{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::xor_{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
