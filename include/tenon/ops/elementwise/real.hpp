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
    return infer_part(rule, "real_i1", "real_c1", "real_c2", operand);
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
