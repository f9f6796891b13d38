// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/math/exponential.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#tanh
struct tanh : accurate_op {
  static constexpr std::string_view name = "tanh";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "tanh_i2", result_accuracy);
    return infer_same_baseline(rule, {"tanh_i1", "tanh_c1", "tanh_o1"}, accepts::floating_point_complex_or_quantized,
                               operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::tanh(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::tanh(d, operand); }
  template <class D>
    requires math::lanes::has_complex_functions<hn::TFromD<D>>
  static complex_vector<D> complex_lanes(D d, complex_vector<D> operand) {
    return math::lanes::complex_function<math::lanes::tanh_kernel>(d, math::detail::tanh_of, operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The hyperbolic tangent of each element. Floats, complex and quantized numbers; the result has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto tanh(operand_like auto&& x, elementwise_check<ops::tanh{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::tanh{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
