// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/magnitude.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#sign
struct sign {
  static constexpr std::string_view name = "sign";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_baseline(rule, {"sign_i1", "sign_c1", "sign_o1"}, accepts::signed_or_quantized, operand);
  }

  // -1, 0 or 1. Floats: zeros and NaN stay what they are. Complex numbers: operand / abs(operand); NaN in both parts if
  // either is NaN.
  template <class T>
  static constexpr T element(T operand) {
    if constexpr (std::integral<T>) {
      return T((operand > 0) - (operand < 0));
    } else {
      return math::sign(operand);
    }
  }

  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::sign(d, operand); }
  template <class D>
    requires std::signed_integral<hn::TFromD<D>>
  static hn::Vec<D> lanes(D d, hn::Vec<D> operand) {
    const auto zero = hn::Zero(d);
    return hn::Sub(hn::VecFromMask(d, hn::Lt(operand, zero)), hn::VecFromMask(d, hn::Gt(operand, zero)));
  }
};

}  // namespace tenon::ops

namespace tenon {

// -1, 0 or 1 by the sign of each element, x / abs(x) of complex ones. Signed integers, floats, complex and quantized
// numbers; the result has the type of x.
constexpr auto sign(operand_like auto&& x, elementwise_check<ops::sign{}, decltype(x)> = {}) {
  return apply_elementwise<ops::sign{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
