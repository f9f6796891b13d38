// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/integer_bits.hpp>
#include <tenon/ops/elementwise/shift_lanes.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#shift_left
struct shift_left {
  static constexpr std::string_view name = "shift_left";

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_type(rule, {"shift_left_i1", "shift_left_i2", "shift_left_c1"}, accepts::integer, lhs, rhs);
  }

  // By the width of the result's element type R or more: 0. The amount counts as unsigned.
  template <class R, class T>
  static constexpr T element(T lhs, T rhs) {
    constexpr int width = num_bits(dtype_of<R>);
    const auto amount = bits_of_width<width>(rhs);
    return amount < unsigned(width) ? T(bits_of_width<width>(lhs) << amount) : T(0);
  }

  template <class D, class V>
    requires shifts_lanes<D>
  static V lanes(D d, V lhs, V rhs) {
    return shift_lanes<true>(d, lhs, rhs);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The bits of lhs shifted left by rhs; 0 where rhs is not below the width. Integers; operands and result have one type,
// one operand may be a number. Also `x << y`.
constexpr auto shift_left(auto&& lhs, auto&& rhs,
                          elementwise_check<ops::shift_left{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::shift_left{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
