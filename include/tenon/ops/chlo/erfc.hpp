// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/error_function.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloerfc_chloerfcop
// 1 - erf(operand), also where erf is nearly 1.
struct erfc {
  static constexpr std::string_view dialect = "chlo", name = "erfc";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"erfc_i1", "erfc_c1"}, accepts::floating_point, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::erfc(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::erfc(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// 1 minus the error function of each element, exact for large ones too. Floats; the result has the type of x.
constexpr auto erfc(operand_like auto&& x, elementwise_check<ops::erfc{}, decltype(x)> = {}) {
  return apply_elementwise<ops::erfc{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
