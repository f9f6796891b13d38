// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#subtract
struct subtract {
  static constexpr std::string_view name = "subtract";

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_baseline(rule, {"subtract_i1", "subtract_i2", "subtract_c1", "subtract_o1"},
                               accepts::number_or_quantized, lhs, rhs);
  }

  // Integers wrap around. Floats: IEEE-754 subtraction.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    if constexpr (std::integral<T>)
      return wrap::subtract(lhs, rhs);
    else if constexpr (binary_float<T>)
      return ieee::subtract(lhs, rhs);
    else
      return lhs - rhs;
  }

  template <class D, class V>
  static V lanes(D, V lhs, V rhs) {
    return hn::Sub(lhs, rhs);
  }
  template <class D>
  static complex_vector<D> complex_lanes(D, complex_vector<D> lhs, complex_vector<D> rhs) {
    return {hn::Sub(lhs.real, rhs.real), hn::Sub(lhs.imag, rhs.imag)};
  }
};

}  // namespace tenon::ops

namespace tenon {

// Differences, element by element. Integers, floats, complex and quantized numbers, integers wrap around; operands and
// result have one type, one operand may be a number. Also `x - y`.
constexpr auto subtract(auto&& lhs, auto&& rhs, elementwise_check<ops::subtract{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::subtract{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
