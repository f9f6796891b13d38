// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/math/error_function.hpp>
#include <tenon/ops/elementwise/baseline_rules.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloerfc_chloerfcop
// 1 - erf(operand), also where erf is nearly 1.
struct erfc {
  static constexpr std::string_view dialect = "chlo", name = "erfc";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"erfc_i1", "erfc_c1"}, accepts::floating_point, operand);
  }

  template <class T>
  static constexpr T element(T operand) {
    return math::erfc(operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

template <operand_like Operand>
constexpr auto erfc(Operand&& operand) {
  return apply_elementwise<ops::erfc{}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
