// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exponential.hpp>
#include <tenon/math/lanes/complex.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#exponential
struct exponential {
  static constexpr std::string_view name = "exponential";
  tenon::result_accuracy result_accuracy;

  static constexpr bool attributes(auto& self, auto visit) { return visit("result_accuracy", self.result_accuracy); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "exponential_i2", result_accuracy);
    return infer_same_baseline(rule, {"exponential_i1", "exponential_c1", "exponential_o1"},
                               accepts::floating_point_complex_or_quantized, operand);
  }

  template <class T>
  static constexpr T element(T operand) {
    return math::exponential(operand);
  }

  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::exponential(d, operand); }
  template <class D>
    requires math::lanes::computes_complex_in_f64<hn::TFromD<D>>
  static complex_vector<D> complex_lanes(D d, complex_vector<D> operand) {
    return math::lanes::in_f64(
        d, [](auto wide, const auto& z) { return math::lanes::exponential_of_complex(wide, z); }, operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

template <result_accuracy Accuracy = result_accuracy{}>
constexpr auto exponential(operand_like auto&& x) {
  return apply_elementwise<ops::exponential{Accuracy}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
