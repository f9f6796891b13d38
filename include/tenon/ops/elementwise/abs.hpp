// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/math/magnitude.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#abs
struct abs {
  static constexpr std::string_view name = "abs";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    check_kind(rule, "abs_i1", accepts::signed_or_quantized, operand);
    tensor_type like = operand;
    if (is_complex(operand.element)) like.element = real_type(operand.element);
    rule.result_shape("abs_c1", "shape(result) = shape(operand)", operand.shape);
    const tensor_type result =
        infer_result(rule, "abs_c2",
                     "baseline_element_type(result) = complex_element_type(element_type(operand)) if complex, "
                     "baseline_element_type(operand) otherwise",
                     like);
    rule("abs_o1", "result: tensor of signed integer or floating-point type or per-tensor quantized tensor",
         rule.is(result, kinds::signed_integer | kinds::floating_point | kinds::per_tensor_quantized));
    return result;
  }

  // Integers: the lowest number stays what it is. Complex numbers: the distance from zero, a real number.
  template <class T>
  static constexpr auto element(T operand) {
    if constexpr (std::integral<T>)
      return operand < 0 ? wrap::negate(operand) : operand;
    else
      return math::abs(operand);
  }

  template <class D, class V>
    requires requires(V operand) { hn::Abs(operand); }
  static V lanes(D, V operand) {
    return hn::Abs(operand);
  }
  template <class D>
    requires math::lanes::has_complex_functions<hn::TFromD<D>>
  static hn::Vec<D> complex_lanes(D d, complex_vector<D> operand) {
    return math::lanes::complex_function<math::lanes::magnitude_kernel>(d, math::detail::magnitude_of, operand).real;
  }
};

}  // namespace tenon::ops

namespace tenon {

// The absolute value of each element. Signed integers, floats, complex and quantized numbers; the result has the type
// of x, of complex numbers the real one.
constexpr auto abs(operand_like auto&& x, elementwise_check<ops::abs{}, decltype(x)> = {}) {
  return apply_elementwise<ops::abs{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
