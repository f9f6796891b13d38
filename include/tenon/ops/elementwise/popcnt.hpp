// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/integer_bits.hpp>

#include <bit>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#popcnt
struct popcnt {
  static constexpr std::string_view name = "popcnt";

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    return infer_same_type(rule, {"popcnt_i1", "popcnt_c1"}, accepts::integer, operand);
  }

  // The bits that are set among those of the result's element type R.
  template <class R, class T>
  static constexpr T element(T operand) {
    return T(std::popcount(bits_of_width<num_bits(dtype_of<R>)>(operand)));
  }
};

}  // namespace tenon::ops

namespace tenon {

// The number of bits that are one in each element. Integers; the result has the type of x.
constexpr auto popcnt(operand_like auto&& x, elementwise_check<ops::popcnt{}, decltype(x)> = {}) {
  return apply_elementwise<ops::popcnt{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
