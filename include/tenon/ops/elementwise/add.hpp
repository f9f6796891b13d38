// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#add
struct add {
  static constexpr std::string_view name = "add";
  static constexpr bool associative = true, commutative = true;
  static constexpr neutral_element neutral = neutral_element::zero;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    rule("add_i1", "lhs: tensor or quantized tensor", rule.is(lhs, kinds::any | kinds::quantized));
    rule("add_i2", "rhs: tensor or quantized tensor", rule.is(rhs, kinds::any | kinds::quantized));
    const tensor_type result = rule.declared.empty() ? lhs : rule.declared[0];
    if (!lhs.is_quantized() && !rhs.is_quantized() && !result.is_quantized()) {
      rule("add_c1", "type(lhs) = type(rhs) = type(result)", lhs == rhs && lhs == result);
      return lhs;
    }
    rule("add_c1", "elementwise: shape(lhs) = shape(rhs) = shape(result)",
         lhs.shape == rhs.shape && lhs.shape == result.shape);
    rule("add_c2", "is_quantized(lhs) and is_quantized(rhs) and is_quantized(result)",
         lhs.is_quantized() && rhs.is_quantized() && result.is_quantized());
    const quantization of_lhs = rule.quantization_of(lhs), of_rhs = rule.quantization_of(rhs),
                       of_result = rule.quantization_of(result);
    rule("add_c3", "storage_type(lhs) = storage_type(rhs) = storage_type(result)",
         of_lhs.storage == of_rhs.storage && of_lhs.storage == of_result.storage);
    rule("add_c4", "expressed_type(lhs) = expressed_type(rhs) = expressed_type(result)",
         of_lhs.expressed == of_rhs.expressed && of_lhs.expressed == of_result.expressed);
    rule("add_c5", "(is_per_axis_quantized(lhs) or is_per_axis_quantized(rhs)) = is_per_axis_quantized(result)",
         (of_lhs.per_axis() || of_rhs.per_axis()) == of_result.per_axis());
    rule("add_c6", "is_per_axis_quantized(lhs): quantization_dimension(lhs) = quantization_dimension(result)",
         !of_lhs.per_axis() || of_lhs.dimension == of_result.dimension);
    rule("add_c7", "is_per_axis_quantized(rhs): quantization_dimension(rhs) = quantization_dimension(result)",
         !of_rhs.per_axis() || of_rhs.dimension == of_result.dimension);
    return result;
  }

  // Booleans: logical or. Integers wrap around. Floats: IEEE-754 addition.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    if constexpr (std::same_as<T, bool>)
      return lhs || rhs;
    else if constexpr (std::integral<T>)
      return wrap::add(lhs, rhs);
    else if constexpr (binary_float<T>)
      return ieee::add(lhs, rhs);
    else
      return lhs + rhs;
  }

  template <class D, class V>
  static V lanes(D, V lhs, V rhs) {
    return hn::Add(lhs, rhs);
  }
  template <class D>
  static complex_vector<D> complex_lanes(D, complex_vector<D> lhs, complex_vector<D> rhs) {
    return {hn::Add(lhs.real, rhs.real), hn::Add(lhs.imag, rhs.imag)};
  }
};

}  // namespace tenon::ops

namespace tenon {

// Sums, element by element; of booleans logical or. Every element type, integers wrap around; operands and result have
// one type, one operand may be a number. Also `x + y`.
constexpr auto add(auto&& lhs, auto&& rhs, elementwise_check<ops::add{}, decltype(lhs), decltype(rhs)> = {}) {
  return apply_elementwise<ops::add{}>(static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

}  // namespace tenon
