// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exponential.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlosinh_chlosinhop
struct sinh {
  static constexpr std::string_view dialect = "chlo", name = "sinh";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"sinh_i1", "sinh_c1"}, accepts::floating_point_or_complex, operand);
  }

  // Floats from 1 on: e^(x + log(1/2)) - e^(-x + log(1/2)), as XLA computes it: that overflows where the result does,
  // and is some ULP away from it where the sums lose digits of x.
  template <class T>
  static constexpr T element(T operand) {
    if constexpr (binary_float<T>) {
      if (ieee::less(ieee::magnitude(operand), T(1))) return math::sinh(operand);
      constexpr T log_half = T(-0x1.62e42fefa39efp-1);
      return ieee::subtract(math::exponential(ieee::add(operand, log_half)),
                            math::exponential(ieee::subtract(log_half, operand)));
    } else {
      return math::sinh(operand);
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

constexpr auto sinh(operand_like auto&& x) { return apply_elementwise<ops::sinh{}>(static_cast<decltype(x)>(x)); }

}  // namespace tenon
