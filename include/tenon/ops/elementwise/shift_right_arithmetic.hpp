// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/integer_bits.hpp>
#include <tenon/ops/elementwise/shift_lanes.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#shift_right_arithmetic
struct shift_right_arithmetic {
  static constexpr std::string_view name = "shift_right_arithmetic";

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_type(rule,
                           {"shift_right_arithmetic_i1", "shift_right_arithmetic_i2", "shift_right_arithmetic_c1"},
                           accepts::integer, lhs, rhs);
  }

  // Copies of the highest bit come in, for unsigned types too. By the width of the result's element type R or more:
  // only such copies. The amount counts as unsigned.
  template <class R, class T>
  static constexpr T element(T lhs, T rhs) {
    using signed_type = std::make_signed_t<T>;
    constexpr int width = num_bits(dtype_of<R>), spare = 8 * int(sizeof(T)) - width;
    const auto amount = bits_of_width<width>(rhs);
    const auto value = signed_type(signed_type(bits_of_width<width>(lhs) << spare) >> spare);
    return T(value >> (amount < unsigned(width) ? int(amount) : width - 1));
  }

  // Highway lacks narrower shifts on some targets.
  template <class D, class V>
    requires(sizeof(hn::TFromD<D>) >= 4 && shifts_lanes<D>)
  static HWY_INLINE V lanes(D d, V lhs, V rhs) {
    const hn::RebindToUnsigned<D> unsigned_d;
    const hn::RebindToSigned<D> signed_d;
    const auto amount = hn::Min(hn::BitCast(unsigned_d, rhs), hn::Set(unsigned_d, 8 * sizeof(hn::TFromD<D>) - 1));
    return hn::BitCast(d, hn::Shr(hn::BitCast(signed_d, lhs), hn::BitCast(signed_d, amount)));
  }
};

}  // namespace tenon::ops

namespace tenon {

// The bits of lhs shifted right by rhs, filled with the highest bit. Integers; operands and result have one type, one
// operand may be a number. Also `x >> y` of signed integers.
constexpr auto shift_right_arithmetic(
    auto&& lhs, auto&& rhs, elementwise_check<ops::shift_right_arithmetic{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::shift_right_arithmetic{}>(static_cast<decltype(lhs)>(lhs),
                                                          static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
