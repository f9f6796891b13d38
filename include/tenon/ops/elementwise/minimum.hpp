// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/order.hpp>
#include <tenon/ops/elementwise/order_lanes.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#minimum
struct minimum {
  static constexpr std::string_view name = "minimum";
  static constexpr bool associative = true, commutative = true, gives_an_operand = true;
  static constexpr neutral_element neutral = neutral_element::highest;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_baseline(rule, {"minimum_i1", "minimum_i2", "minimum_c1", "minimum_o1"},
                               accepts::anything_or_quantized, lhs, rhs);
  }

  // Booleans: logical and. Floats: NaN if either is, -0 below +0. Complex numbers: by real, then imaginary part; NaN as
  // for floats.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    return extreme<false>(lhs, rhs);
  }

  template <class D, class V>
    requires std::floating_point<hn::TFromD<D>> || requires(V lhs, V rhs) { hn::Min(lhs, rhs); }
  static HWY_INLINE V lanes(D, V lhs, V rhs) {
    if constexpr (std::floating_point<hn::TFromD<D>>) {
      return smaller_of_floats(lhs, rhs);
    } else {
      return hn::Min(lhs, rhs);
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// The smaller of two, element by element; NaN if one is NaN, complex numbers by real, then imaginary part. Every
// element type; operands and result have one type, one operand may be a number.
constexpr auto minimum(auto&& lhs, auto&& rhs, elementwise_check<ops::minimum{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::minimum{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
