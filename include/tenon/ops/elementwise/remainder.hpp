// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/rounding.hpp>
#include <tenon/ops/elementwise/divide.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/elementwise/subtract.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#remainder
struct remainder : repeated_divisors {
  static constexpr std::string_view name = "remainder";

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_baseline(rule, {"remainder_i1", "remainder_i2", "remainder_c1", "remainder_o1"},
                               accepts::number_or_quantized, lhs, rhs);
  }

  // lhs - d * rhs, where d is the quotient without its fraction: the sign is that of lhs. Integers: the remainder of a
  // division by zero is lhs. Complex numbers: the specification leaves them open; d drops the fraction of both parts.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    if constexpr (std::integral<T>) {
      if (rhs == 0) return lhs;
      if constexpr (std::is_signed_v<T>)
        if (rhs == -1) return 0;
      return T(lhs % rhs);
    } else if constexpr (binary_float<T>) {
      return math::remainder(lhs, rhs);
    } else {
      const T quotient = divide::element(lhs, rhs);
      return subtract::element(lhs, multiply::element(T{truncated(quotient.real), truncated(quotient.imag)}, rhs));
    }
  }

  static auto lanes(float_lanes auto d, auto lhs, auto rhs) { return math::lanes::remainder(d, lhs, rhs); }
  static auto lanes(math::lanes::divides_integers auto d, auto lhs, auto rhs) {
    return math::lanes::remainder_of_integers(d, lhs, rhs);
  }

 private:
  template <binary_float T>
  static constexpr T truncated(T x) {
    return ieee::with_sign_of(math::floor(ieee::magnitude(x)), x);
  }
};

}  // namespace tenon::ops

namespace tenon {

// Remainders of the quotient without its fraction, with the sign of lhs. Integers, floats, complex and quantized
// numbers; operands and result have one type, one operand may be a number. Also `x % y`.
constexpr auto remainder(auto&& lhs, auto&& rhs,
                         elementwise_check<ops::remainder{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::remainder{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
