// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/ops/elementwise/baseline_rules.hpp>
#include <tenon/ops/elementwise/integer_bits.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#shift_right_logical
struct shift_right_logical {
  static constexpr std::string_view name = "shift_right_logical";

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_type(rule, {"shift_right_logical_i1", "shift_right_logical_i2", "shift_right_logical_c1"},
                           accepts::integer, lhs, rhs);
  }

  // Zeros come in. By the width of the result's element type R or more: 0. The amount counts as unsigned.
  template <class R, class T>
  static constexpr T element(T lhs, T rhs) {
    constexpr int width = num_bits(dtype_of<R>);
    const auto amount = bits_of_width<width>(rhs);
    return amount < unsigned(width) ? T(bits_of_width<width>(lhs) >> amount) : T(0);
  }

  // Highway lacks narrower shifts on some targets.
  template <class D, class V>
  requires(sizeof(hn::TFromD<D>) >= 4) static V lanes(D d, V lhs, V rhs) {
    const hn::RebindToUnsigned<D> unsigned_d;
    const auto last = hn::Set(unsigned_d, 8 * sizeof(hn::TFromD<D>) - 1);
    const auto amount = hn::BitCast(unsigned_d, rhs);
    const auto shifted = hn::Shr(hn::BitCast(unsigned_d, lhs), hn::And(amount, last));
    return hn::BitCast(d, hn::IfThenZeroElse(hn::Gt(amount, last), shifted));
  }
};

}  // namespace tenon::ops

namespace tenon {

template <class Lhs, class Rhs>
requires elementwise_operands<Lhs, Rhs>
constexpr auto shift_right_logical(Lhs&& lhs, Rhs&& rhs) {
  return apply_elementwise<ops::shift_right_logical{}>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}

}  // namespace tenon
