// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/math/root.hpp>
#include <tenon/ops/elementwise/baseline_rules.hpp>
#include <tenon/ops/elementwise/result_accuracy.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#rsqrt
struct rsqrt {
  static constexpr std::string_view name = "rsqrt";
  tenon::result_accuracy result_accuracy;

  static constexpr bool attributes(auto& self, auto visit) { return visit("result_accuracy", self.result_accuracy); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_accuracy(rule, "rsqrt_i2", result_accuracy);
    return infer_same_baseline(rule, {"rsqrt_i1", "rsqrt_c1", "rsqrt_o1"}, accepts::floating_point_complex_or_quantized,
                               operand);
  }

  template <class T>
  static constexpr T element(T operand) {
    return math::rsqrt(operand);
  }

  template <class D, class V>
    requires std::floating_point<hn::TFromD<D>>
  static V lanes(D d, V operand) {
    return math::lanes::rsqrt(d, operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

template <result_accuracy Accuracy = result_accuracy{}, operand_like Operand>
constexpr auto rsqrt(Operand&& operand) {
  return apply_elementwise<ops::rsqrt{Accuracy}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
