// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#log
struct log : accurate_op {
  static constexpr std::string_view name = "log";

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "log_i2", result_accuracy);
    return infer_same_baseline(rule, {"log_i1", "log_c1", "log_o1"}, accepts::floating_point_complex_or_quantized,
                               operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::log(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::log(d, operand); }
  template <class D>
    requires math::lanes::has_complex_functions<hn::TFromD<D>>
  static complex_vector<D> complex_lanes(D d, complex_vector<D> operand) {
    return math::lanes::complex_function<math::lanes::logarithm_kernel>(d, math::detail::log_of, operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The natural logarithm of each element; NaN below 0. Floats, complex and quantized numbers; the result has the type of
// x.
template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto log(operand_like auto&& x, elementwise_check<ops::log{Accuracy}, decltype(x)> = {}) {
  return apply_elementwise<ops::log{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
