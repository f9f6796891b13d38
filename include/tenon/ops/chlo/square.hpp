// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/is_finite.hpp>
#include <tenon/ops/elementwise/multiply.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlosquare_chlosquareop
struct square {
  static constexpr std::string_view dialect = "chlo", name = "square";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"square_i1", "square_c1"}, accepts::number, operand);
  }

  // Integers wrap around. Complex numbers: (x - y) (x + y) + 2 x y i, whose real part does not cancel.
  template <class T>
  static constexpr T element(T operand) {
    if constexpr (std::integral<T>) {
      return wrap::multiply(operand, operand);
    } else if constexpr (binary_float<T>) {
      return ieee::multiply(operand, operand);
    } else {
      const auto [x, y] = operand;
      const auto part = ieee::multiply(x, y);
      // Of sizes whose sum overflows the product would be NaN.
      if (ieee::is_finite(x) && ieee::equal(ieee::magnitude(x), ieee::magnitude(y))) return {0, ieee::add(part, part)};
      return {ieee::multiply(ieee::subtract(x, y), ieee::add(x, y)), ieee::add(part, part)};
    }
  }

  template <class D, class V>
    requires requires(D d, V x) { multiply::lanes(d, x, x); }
  static V lanes(D d, V operand) {
    return multiply::lanes(d, operand, operand);
  }
  template <class D>
  static complex_vector<D> complex_lanes(D d, complex_vector<D> operand) {
    const auto x = operand.real, y = operand.imag;
    const auto equal = hn::And(hn::Eq(hn::Abs(x), hn::Abs(y)), is_finite::lanes(d, x));
    const auto part = rounded(hn::Mul(x, y));
    return {hn::IfThenZeroElse(equal, rounded(hn::Mul(hn::Sub(x, y), hn::Add(x, y)))), hn::Add(part, part)};
  }
};

}  // namespace tenon::ops

namespace tenon {

// Each element times itself. Integers, which wrap around, floats and complex numbers; the result has the type of x.
constexpr auto square(operand_like auto&& x, elementwise_check<ops::square{}, decltype(x)> = {}) {
  return apply_elementwise<ops::square{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
