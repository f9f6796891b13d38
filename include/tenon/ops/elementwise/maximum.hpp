// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/order.hpp>
#include <tenon/ops/elementwise/order_lanes.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#maximum
struct maximum {
  static constexpr std::string_view name = "maximum";
  static constexpr bool associative = true, commutative = true, gives_an_operand = true;
  static constexpr neutral_element neutral = neutral_element::lowest;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_baseline(rule, {"maximum_i1", "maximum_i2", "maximum_c1", "maximum_o1"},
                               accepts::anything_or_quantized, lhs, rhs);
  }

  // Booleans: logical or. Floats: NaN if either is, +0 above -0. Complex numbers: by real, then imaginary part; NaN as
  // for floats.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    return extreme<true>(lhs, rhs);
  }

  template <class D, class V>
    requires std::floating_point<hn::TFromD<D>> || requires(V lhs, V rhs) { hn::Max(lhs, rhs); }
  static HWY_INLINE V lanes(D, V lhs, V rhs) {
    if constexpr (std::floating_point<hn::TFromD<D>>) {
      return larger_of_floats(lhs, rhs);
    } else {
      return hn::Max(lhs, rhs);
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// The larger of two, element by element; NaN if one is NaN, complex numbers by real, then imaginary part. Every element
// type; operands and result have one type, one operand may be a number.
constexpr auto maximum(auto&& lhs, auto&& rhs, elementwise_check<ops::maximum{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::maximum{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
