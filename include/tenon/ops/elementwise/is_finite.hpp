// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#is_finite
struct is_finite {
  static constexpr std::string_view name = "is_finite";

  static constexpr tensor_type infer(rules& rule, const tensor_type& x) {
    check_kind(rule, "is_finite_i1", accepts::floating_point_or_quantized, x);
    rule.result_shape("is_finite_c1", "shape(x) = shape(y)", x.shape);
    return rule.result("is_finite_o1", "y: tensor of boolean type", x.with_element(dtype::i1));
  }

  static constexpr bool element(auto x) { return ieee::is_finite(x); }

  // Gives a mask of D.
  static auto lanes(float_lanes auto d, auto x) {
    return hn::Lt(hn::Abs(x), hn::Set(d, ieee::infinity<hn::TFromD<decltype(d)>>));
  }
};

}  // namespace tenon::ops

namespace tenon {

// Whether each element is neither infinite nor NaN. Floats and quantized numbers; the result is i1 of the same shape.
constexpr auto is_finite(operand_like auto&& x, elementwise_check<ops::is_finite{}, decltype(x)> = {}) {
  return apply_elementwise<ops::is_finite{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
