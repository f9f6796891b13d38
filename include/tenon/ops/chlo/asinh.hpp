// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/inverse.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloasinh_chloasinhop
struct asinh {
  static constexpr std::string_view dialect = "chlo", name = "asinh";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"asinh_i1", "asinh_c1"}, accepts::floating_point_or_complex, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::asinh(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::asinh(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The inverse hyperbolic sine of each element. Floats and complex numbers; the result has the type of x.
constexpr auto asinh(operand_like auto&& x, elementwise_check<ops::asinh{}, decltype(x)> = {}) {
  return apply_elementwise<ops::asinh{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
