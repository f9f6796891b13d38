// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/math/power.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#power
struct power {
  static constexpr std::string_view name = "power";

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_baseline(rule, {"power_i1", "power_i2", "power_c1", "power_o1"}, accepts::number_or_quantized,
                               lhs, rhs);
  }

  // Integers wrap around; to a negative power only 1 and -1 are not 0.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    return math::power(lhs, rhs);
  }

  static auto lanes(float_lanes auto d, auto lhs, auto rhs) { return math::lanes::power(d, lhs, rhs); }
  template <class D>
    requires math::lanes::has_complex_functions<hn::TFromD<D>>
  static complex_vector<D> complex_lanes(D d, complex_vector<D> lhs, complex_vector<D> rhs) {
    return math::lanes::complex_function<math::lanes::power_kernel>(d, math::detail::power_of, lhs, rhs);
  }

  template <class D, class V>
    requires(std::integral<hn::TFromD<D>> && sizeof(hn::TFromD<D>) > 1)
  static V lanes(D d, V lhs, V rhs) {
    return math::lanes::whole_power(d, lhs, rhs);
  }
};

}  // namespace tenon::ops

namespace tenon {

// lhs to the power of rhs, element by element. Integers, floats, complex and quantized numbers; operands and result
// have one type, one operand may be a number.
constexpr auto power(auto&& lhs, auto&& rhs, elementwise_check<ops::power{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::power{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
