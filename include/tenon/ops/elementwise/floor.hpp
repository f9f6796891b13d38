// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/math/rounding.hpp>
#include <tenon/ops/elementwise/baseline_rules.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#floor
struct floor {
  static constexpr std::string_view name = "floor";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_baseline(rule, {"floor_i1", "floor_c1", "floor_o1"}, accepts::floating_point_or_quantized,
                               operand);
  }

  template <class T>
  static constexpr T element(T operand) {
    return math::floor(operand);
  }

  template <class D, class V>
    requires std::floating_point<hn::TFromD<D>>
  static V lanes(D d, V operand) {
    return math::lanes::floor(d, operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

template <operand_like Operand>
constexpr auto floor(Operand&& operand) {
  return apply_elementwise<ops::floor{}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
