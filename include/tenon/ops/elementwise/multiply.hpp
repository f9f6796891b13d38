// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#multiply
struct multiply {
  static constexpr std::string_view name = "multiply";
  static constexpr bool associative = true, commutative = true;
  static constexpr neutral_element neutral = neutral_element::one;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_baseline(rule, {"multiply_i1", "multiply_i2", "multiply_c1", "multiply_o1"},
                               accepts::anything_or_quantized, lhs, rhs);
  }

  // Booleans: logical and. Integers wrap around. Floats: IEEE-754 multiplication, never fused with an addition. Complex
  // numbers: without the recovery of infinities of C's Annex G, as XLA multiplies.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    if constexpr (std::same_as<T, bool>)
      return lhs && rhs;
    else if constexpr (std::integral<T>)
      return wrap::multiply(lhs, rhs);
    else if constexpr (binary_float<T>)
      return ieee::multiply(lhs, rhs);
    else
      return {ieee::subtract(ieee::multiply(lhs.real, rhs.real), ieee::multiply(lhs.imag, rhs.imag)),
              ieee::add(ieee::multiply(lhs.real, rhs.imag), ieee::multiply(lhs.imag, rhs.real))};
  }

  template <class D, class V>
    requires(sizeof(hn::TFromD<D>) > 1)
  static V lanes(D, V lhs, V rhs) {
    return rounded(hn::Mul(lhs, rhs));
  }
  template <class D>
  static complex_vector<D> complex_lanes(D, complex_vector<D> lhs, complex_vector<D> rhs) {
    return {hn::Sub(rounded(hn::Mul(lhs.real, rhs.real)), rounded(hn::Mul(lhs.imag, rhs.imag))),
            hn::Add(rounded(hn::Mul(lhs.real, rhs.imag)), rounded(hn::Mul(lhs.imag, rhs.real)))};
  }

  // Machines have no product of bytes: those at even and at odd places are multiplied in 16 bits each.
  template <class D, class V>
    requires(sizeof(hn::TFromD<D>) == 1 && HWY_TARGET != HWY_SCALAR)
  static V lanes(D d, V lhs, V rhs) {
    const hn::Repartition<std::uint16_t, D> wide;
    const auto a = hn::BitCast(wide, lhs), b = hn::BitCast(wide, rhs);
    const auto even = hn::Mul(a, b), odd = hn::Mul(hn::ShiftRight<8>(a), hn::ShiftRight<8>(b));
    return hn::BitCast(d, hn::Or(hn::And(even, hn::Set(wide, 0xFF)), hn::ShiftLeft<8>(odd)));
  }
};

}  // namespace tenon::ops

namespace tenon {

// Products, element by element; of booleans logical and. Every element type, integers wrap around; operands and result
// have one type, one operand may be a number. Also `x * y`.
constexpr auto multiply(auto&& lhs, auto&& rhs, elementwise_check<ops::multiply{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::multiply{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
