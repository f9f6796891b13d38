// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/error_function.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloerf_inv_chloerfinvop
// Where erf has the value of the operand: infinite at -1 and 1, NaN beyond.
struct erf_inv {
  static constexpr std::string_view dialect = "chlo", name = "erf_inv";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"erf_inv_i1", "erf_inv_c1"}, accepts::floating_point, operand);
  }

  static constexpr auto element(auto operand) -> decltype(operand) { return math::erf_inv(operand); }
  static auto lanes(float_lanes auto d, auto operand) { return math::lanes::erf_inv(d, operand); }
};

}  // namespace tenon::ops

namespace tenon {

// The inverse of the error function, of each element; infinite at -1 and 1, NaN beyond. Floats; the result has the type
// of x.
constexpr auto erf_inv(operand_like auto&& x, elementwise_check<ops::erf_inv{}, decltype(x)> = {}) {
  return apply_elementwise<ops::erf_inv{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
