// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlomulhi_chlomulhiop
// The upper half of the product, which has twice as many bits.
struct mulhi {
  static constexpr std::string_view dialect = "chlo", name = "mulhi";
  static constexpr bool commutative = true;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    return infer_same_type(rule, {"mulhi_i1", "mulhi_i2", "mulhi_c1"}, accepts::integer, lhs, rhs);
  }

  template <class R, class T>
  static constexpr T element(T lhs, T rhs) {
    constexpr int bits = num_bits(dtype_of<R>);
    if constexpr (bits <= 32) {
      using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
      return T((wide(lhs) * wide(rhs)) >> bits);
    } else {
      const std::uint64_t a = std::uint64_t(lhs), b = std::uint64_t(rhs);
      const std::uint64_t low = 0xFFFFFFFF, a_low = a & low, a_high = a >> 32, b_low = b & low, b_high = b >> 32;
      const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
      const std::uint64_t other = a_low * b_high + (middle & low);
      std::uint64_t high = a_high * b_high + (middle >> 32) + (other >> 32);
      // A negative number stands for itself plus 2^64.
      if constexpr (std::is_signed_v<T>) high -= (lhs < 0 ? b : 0) + (rhs < 0 ? a : 0);
      return T(high);
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// The upper half of products of twice the width, element by element. Integers; operands and result have one type, one
// operand may be a number.
constexpr auto mulhi(auto&& lhs, auto&& rhs, elementwise_check<ops::mulhi{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::mulhi{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
