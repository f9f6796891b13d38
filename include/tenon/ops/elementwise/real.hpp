// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#real
struct real {
  static constexpr std::string_view name = "real";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    check_kind(rule, "real_i1", accepts::floating_point_or_complex, operand);
    const tensor_type result = operand.with_element(real_type(operand.element));
    rule.result_shape("real_c1", "shape(result) = shape(operand)", operand.shape);
    rule.result_element("real_c2",
                        "element_type(result) = complex_element_type(element_type(operand)) if complex, "
                        "element_type(operand) otherwise",
                        result);
    return result;
  }

  template <class T>
  static constexpr T element(tenon::complex<T> operand) {
    return operand.real;
  }
  template <binary_float T>
  static constexpr T element(T operand) {
    return operand;
  }
  template <class D>
  static hn::Vec<D> complex_lanes(D, complex_vector<D> operand) {
    return operand.real;
  }
};

}  // namespace tenon::ops

namespace tenon {

// The real part of each element. Complex numbers, and floats, which are all real; the result has the real type, and the
// same shape.
constexpr auto real(operand_like auto&& x, elementwise_check<ops::real{}, decltype(x)> = {}) {
  return apply_elementwise<ops::real{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
