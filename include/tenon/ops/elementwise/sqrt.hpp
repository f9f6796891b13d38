// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/math/root.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#sqrt
struct sqrt : accurate_op {
  static constexpr std::string_view name = "sqrt";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "sqrt_i2", result_accuracy);
    return infer_same_baseline(rule, {"sqrt_i1", "sqrt_c1", "sqrt_o1"}, accepts::floating_point_complex_or_quantized,
                               operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::sqrt(operand); }

  static auto lanes(float_lanes auto, auto operand) { return hn::Sqrt(operand); }
  template <class D>
    requires math::lanes::has_complex_functions<hn::TFromD<D>>
  static complex_vector<D> complex_lanes(D d, complex_vector<D> operand) {
    return math::lanes::complex_function<math::lanes::square_root_kernel>(d, math::detail::sqrt_of, operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The square root of each element; NaN below 0. Floats, complex and quantized numbers; the result has the type of x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto sqrt(operand_like auto&& x, elementwise_check<ops::sqrt{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::sqrt{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
