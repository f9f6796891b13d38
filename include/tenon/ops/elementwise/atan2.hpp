// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/divide.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/root.hpp>
#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/multiply.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#atan2
struct atan2 {
  static constexpr std::string_view name = "atan2";

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_baseline(rule, {"atan2_i1", "atan2_i2", "atan2_c1", "atan2_o1"},
                               accepts::floating_point_complex_or_quantized, lhs, rhs);
  }

  // Floats: the angle of the point (rhs, lhs), with the sign of lhs. Complex numbers: the same function continued,
  // -i log((rhs + i lhs) / sqrt(rhs^2 + lhs^2)).
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    if constexpr (binary_float<T>) {
      return math::atan2(lhs, rhs);
    } else {
      const T point{ieee::subtract(rhs.real, lhs.imag), ieee::add(rhs.imag, lhs.real)};
      const T size = math::sqrt(add::element(multiply::element(rhs, rhs), multiply::element(lhs, lhs)));
      const T log = math::log(math::divide(point, size));
      return {log.imag, ieee::negate(log.real)};
    }
  }

  static auto lanes(float_lanes auto d, auto lhs, auto rhs) { return math::lanes::atan2(d, lhs, rhs); }
};

}  // namespace tenon::ops

namespace tenon {

// The angle of the point (rhs, lhs), element by element, from -pi to pi. Floats, complex and quantized numbers;
// operands and result have one type, one operand may be a number.
constexpr auto atan2(auto&& lhs, auto&& rhs, elementwise_check<ops::atan2{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::atan2{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
