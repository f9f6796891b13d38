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
    check_kind(rule, "imag_i1", accepts::floating_point_or_complex, operand);
    const tensor_type result = operand.with_element(real_type(operand.element));
    rule.result_shape("imag_c1", "shape(result) = shape(operand)", operand.shape);
    rule.result_element("imag_c2",
                        "element_type(result) = complex_element_type(element_type(operand)) if complex, "
                        "element_type(operand) otherwise",
                        result);
    return result;
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
