// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#imag
struct imag {
  static constexpr std::string_view name = "imag";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_part(rule, "imag_i1", "imag_c1", "imag_c2", operand);
  }

  template <class T>
  static constexpr T element(tenon::complex<T> operand) {
    return operand.imag;
  }
  template <binary_float T>
  static constexpr T element(T) {
    return T(0);
  }
  template <class D>
  static hn::Vec<D> complex_lanes(D, complex_vector<D> operand) {
    return operand.imag;
  }
};

}  // namespace tenon::ops

namespace tenon {

// The imaginary part of each element. Complex numbers, and floats, which have 0; the result has the real type, and the
// same shape.
constexpr auto imag(operand_like auto&& x, elementwise_check<ops::imag{}, decltype(x)> = {}) {
  return apply_elementwise<ops::imag{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
