// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/integer_bits.hpp>

#include <bit>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#count_leading_zeros
struct count_leading_zeros {
  static constexpr std::string_view name = "count_leading_zeros";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"count_leading_zeros_i1", "count_leading_zeros_c1"}, accepts::integer, operand);
  }

  // Among the bits of the result's element type R; all of them for zero.
  template <class R, class T>
  static constexpr T element(T operand) {
    constexpr int width = num_bits(dtype_of<R>);
    return T(width - int(std::bit_width(bits_of_width<width>(operand))));
  }
};

}  // namespace tenon::ops

namespace tenon {

// The number of zero bits above the highest one of each element. Integers; the result has the type of x.
constexpr auto count_leading_zeros(operand_like auto&& x,
                                   elementwise_check<ops::count_leading_zeros{}, decltype(x)> = {}) {
  return apply_elementwise<ops::count_leading_zeros{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
