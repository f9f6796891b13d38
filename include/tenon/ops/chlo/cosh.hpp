// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/baseline_rules.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlocosh_chlocoshop
struct cosh {
  static constexpr std::string_view dialect = "chlo", name = "cosh";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"cosh_i1", "cosh_c1"}, accepts::floating_point_or_complex, operand);
  }

  template <class T>
  static constexpr T element(T operand) {
    return math::cosh(operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

template <operand_like Operand>
constexpr auto cosh(Operand&& operand) {
  return apply_elementwise<ops::cosh{}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
