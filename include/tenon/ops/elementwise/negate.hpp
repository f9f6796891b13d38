// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#negate
struct negate {
  static constexpr std::string_view name = "negate";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_baseline(rule, {"negate_i1", "negate_c1", "negate_o1"}, accepts::number_or_quantized, operand);
  }

  // Integers wrap around. Floats: the other sign, also of zeros and NaN.
  template <class T>
  static constexpr T element(T operand) {
    if constexpr (std::integral<T>)
      return wrap::negate(operand);
    else if constexpr (binary_float<T>)
      return ieee::negate(operand);
    else
      return {ieee::negate(operand.real), ieee::negate(operand.imag)};
  }

  template <class D, class V>
  static V lanes(D, V operand) {
    return hn::Neg(operand);
  }
  template <class D>
  static complex_vector<D> complex_lanes(D, complex_vector<D> operand) {
    return {hn::Neg(operand.real), hn::Neg(operand.imag)};
  }
};

}  // namespace tenon::ops

namespace tenon {

// The negative of each element. Integers, which wrap around, floats, complex and quantized numbers; the result has the
// type of x.
constexpr auto negate(operand_like auto&& x, elementwise_check<ops::negate{}, decltype(x)> = {}) {
  return apply_elementwise<ops::negate{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
