// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#complex
struct complex {
  static constexpr std::string_view name = "complex";
  static constexpr op_notation notation = op_notation::complex;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    rule("complex_i1", "lhs: tensor of type f32 or f64", is_part(lhs));
    rule("complex_i2", "rhs: tensor of type f32 or f64", is_part(rhs));
    rule("complex_c1", "type(lhs) = type(rhs)", lhs == rhs);
    const tensor_type result = lhs.with_element(lhs.element == dtype::f64 ? dtype::complex_f64 : dtype::complex_f32);
    rule.result_shape("complex_c2", "shape(result) = shape(lhs)", lhs.shape);
    rule.result_element("complex_c3", "element_type(result) has type complex<E> where E = element_type(lhs)", result);
    return result;
  }

  template <class T>
  static constexpr tenon::complex<T> element(T lhs, T rhs) {
    return {lhs, rhs};
  }
  template <class D>
  static complex_vector<D> complex_lanes(D, hn::Vec<D> lhs, hn::Vec<D> rhs) {
    return {lhs, rhs};
  }

 private:
  static constexpr bool is_part(const tensor_type& type) {
    return !type.is_quantized() && (type.element == dtype::f32 || type.element == dtype::f64);
  }
};

}  // namespace tenon::ops

namespace tenon {

// Complex numbers from their real and imaginary parts (`complex` itself is the number). Operands are f32 or f64, both
// of one type; the result is complex of the same shape.
constexpr auto complex_(auto&& lhs, auto&& rhs, elementwise_check<ops::complex{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::complex{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
