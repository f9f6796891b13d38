// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/error_function.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloerf_chloerfop
// The integral of 2 / sqrt(pi) e^-t^2 from 0 to the operand.
struct erf {
  static constexpr std::string_view dialect = "chlo", name = "erf";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"erf_i1", "erf_c1"}, accepts::floating_point, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::erf(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::erf(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The error function of each element. Floats; the result has the type of x.
constexpr auto erf(operand_like auto&& x, elementwise_check<ops::erf{}, decltype(x)> = {}) {
  return apply_elementwise<ops::erf{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
