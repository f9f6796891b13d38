// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloconj_chloconjop
struct conj {
  static constexpr std::string_view dialect = "chlo", name = "conj";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"conj_i1", "conj_c1"}, accepts::floating_point_or_complex, operand);
  }

  template <class T>
  static constexpr T element(T operand) {
    if constexpr (binary_float<T>)
      return operand;
    else
      return {operand.real, ieee::negate(operand.imag)};
  }

  template <class D, class V>
  static V lanes(D, V operand) {
    return operand;
  }
  template <class D>
  static complex_vector<D> complex_lanes(D, complex_vector<D> operand) {
    return {operand.real, hn::Neg(operand.imag)};
  }
};

}  // namespace tenon::ops

namespace tenon {

// The complex conjugate of each element. Floats and complex numbers; the result has the type of x.
constexpr auto conj(operand_like auto&& x, elementwise_check<ops::conj{}, decltype(x)> = {}) {
  return apply_elementwise<ops::conj{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
