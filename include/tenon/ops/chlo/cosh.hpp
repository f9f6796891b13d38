// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exponential.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlocosh_chlocoshop
struct cosh {
  static constexpr std::string_view dialect = "chlo", name = "cosh";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"cosh_i1", "cosh_c1"}, accepts::floating_point_or_complex, operand);
  }

  // Floats: e^(x + log(1/2)) + e^(-x + log(1/2)), as XLA computes it: that overflows where the result does, and is some
  // ULP away from it where the sums lose digits of x.
  template <class T>
  static constexpr T element(T operand) {
    if constexpr (binary_float<T>)
      return ieee::add(math::exponential(ieee::add(operand, log_half<T>)),
                       math::exponential(ieee::subtract(log_half<T>, operand)));
    else
      return math::cosh(operand);
  }

  template <class D, class V>
    requires std::floating_point<hn::TFromD<D>>
  static V lanes(D d, V operand) {
    const V half = hn::Set(d, log_half<hn::TFromD<D>>);
    return hn::Add(math::lanes::exponential(d, hn::Add(operand, half)),
                   math::lanes::exponential(d, hn::Sub(half, operand)));
  }

 private:
  template <class T>
  static constexpr T log_half = T(-0x1.62e42fefa39efp-1);
};

}  // namespace tenon::ops

namespace tenon {

constexpr auto cosh(operand_like auto&& x) { return apply_elementwise<ops::cosh{}>(static_cast<decltype(x)>(x)); }

}  // namespace tenon
