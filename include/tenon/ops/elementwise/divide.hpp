// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/math/divide.hpp>
#include <tenon/math/lanes/integer_division.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// Of ops that divide integers: by a divisor that repeats, or one that is known while compiling.
struct repeated_divisors {
  template <math::lanes::divides_integers D>
  static auto repeated_rhs(D, hn::TFromD<D> rhs) {
    return math::lanes::divisor_lanes<D>(rhs);
  }
  template <math::lanes::divides_integers D, hn::TFromD<D> Rhs>
  static auto known_rhs(D) {
    return math::lanes::known_divisor<D, Rhs>();
  }
};

// https://openxla.org/stablehlo/spec#divide
struct divide : repeated_divisors {
  static constexpr std::string_view name = "divide";

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_baseline(rule, {"divide_i1", "divide_i2", "divide_c1", "divide_o1"}, accepts::number_or_quantized,
                               lhs, rhs);
  }

  // Integers: the fraction is dropped; a division by zero gives -1, all bits set; the lowest number divided by -1 is
  // itself. Floats: IEEE-754 division. Complex numbers: a zero divisor gives infinities, an infinite one zeros.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    if constexpr (std::integral<T>) {
      if (rhs == 0) return T(-1);
      if constexpr (std::is_signed_v<T>)
        if (rhs == -1) return wrap::negate(lhs);
      return T(lhs / rhs);
    } else {
      return math::divide(lhs, rhs);
    }
  }

  static auto lanes(float_lanes auto, auto lhs, auto rhs) { return hn::Div(lhs, rhs); }
  static auto lanes(math::lanes::divides_integers auto d, auto lhs, auto rhs) {
    return math::lanes::divide_integers(d, lhs, rhs);
  }
  template <class D>
    requires math::lanes::has_complex_functions<hn::TFromD<D>>
  static complex_vector<D> complex_lanes(D d, complex_vector<D> lhs, complex_vector<D> rhs) {
    return math::lanes::complex_function<math::lanes::divide_kernel>(d, math::detail::quotient, lhs, rhs);
  }
};

}  // namespace tenon::ops

namespace tenon {

// Quotients, element by element; integers drop the fraction. Integers, floats, complex and quantized numbers; operands
// and result have one type, one operand may be a number. Also `x / y`.
constexpr auto divide(auto&& lhs, auto&& rhs, elementwise_check<ops::divide{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::divide{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
