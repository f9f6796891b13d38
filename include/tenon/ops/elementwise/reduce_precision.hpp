// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/narrow_lanes.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#reduce_precision
struct reduce_precision {
  static constexpr std::string_view name = "reduce_precision";
  static constexpr op_notation notation = op_notation::reduce_precision;
  int exponent_bits = 8, mantissa_bits = 23;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("exponent_bits", self.exponent_bits) && visit("mantissa_bits", self.mantissa_bits);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    check_kind(rule, "reduce_precision_i1", accepts::floating_point_or_quantized, operand);
    rule("reduce_precision_c2", "1 <= exponent_bits", 1 <= exponent_bits);
    rule("reduce_precision_c3", "0 <= mantissa_bits", 0 <= mantissa_bits);
    const tensor_type output =
        infer_result(rule, "reduce_precision_c1", "baseline_type(operand) = baseline_type(output)", operand);
    check_kind(rule, "reduce_precision_o1", accepts::floating_point_or_quantized, output);
    return output;
  }

  // The mantissa is rounded to nearest even. What is then above the exponent range becomes an infinity, what is below,
  // with the subnormal numbers of the smaller format, a zero of the same sign. NaN stays, or becomes +infinity where no
  // mantissa is left to mark it. All in the element type R of the result.
  template <class R, class T>
  constexpr T element(T operand) const {
    constexpr float_format format = format_of(dtype_of<R>);
    using bits = ieee::bits_of<T>;
    if (ieee::is_nan(operand)) return mantissa_bits > 0 || !format.has_infinity() ? operand : ieee::infinity<T>;
    if (ieee::is_infinite(operand)) return operand;
    const bool negative = ieee::is_negative(operand);
    bits magnitude = bits(to_bits<R>(operand) & ~bits(format.sign()));
    if (mantissa_bits < format.mantissa_bits) {
      const int dropped = format.mantissa_bits - mantissa_bits;
      const bits last = (magnitude >> dropped) & 1, half = bits(1) << (dropped - 1);
      magnitude = bits((magnitude + (half - 1) + last) >> dropped << dropped);
      if (magnitude > bits(format.max())) return from_bits<R, T>(bits(format.overflow(negative)));
    }
    if (exponent_bits < format.exponent_bits) {
      const int exponent = int(magnitude >> format.mantissa_bits) - format.bias;
      const int limit = (1 << (exponent_bits - 1)) - 1;
      if (exponent > limit) return from_bits<R, T>(bits(format.overflow(negative)));
      if (exponent <= -limit) return from_bits<R, T>(bits(format.zero(negative)));
    }
    return from_bits<R, T>(negative ? bits(magnitude | bits(format.sign())) : magnitude);
  }

  template <class R, class D, class V>
    requires(std::floating_point<hn::TFromD<D>> && format_of(dtype_of<R>).specials == float_specials::ieee)
  V lanes_of_result(D d, V operand) const {
    const hn::RebindToUnsigned<D> bits;
    if constexpr (std::same_as<R, hn::TFromD<D>>)
      return hn::BitCast(d, reduced_lanes<dtype_of<R>>(bits, hn::BitCast(bits, operand)));
    else
      return decode_lanes<dtype_of<R>>(d, reduced_lanes<dtype_of<R>>(bits, encode_lanes<dtype_of<R>>(d, operand)));
  }

 private:
  // Bit patterns of a format with infinities, which rounding up the largest number gives by itself.
  template <dtype Type, class D, class B = hn::Vec<D>>
  B reduced_lanes(D d, B operand) const {
    constexpr float_format format = format_of(Type);
    using bits = hn::TFromD<D>;
    const auto sign = hn::Set(d, bits(format.sign())), infinity = hn::Set(d, bits(format.infinity()));
    const B magnitude = hn::AndNot(sign, operand);
    const auto is_special = hn::Gt(magnitude, hn::Set(d, bits(format.max())));
    B result = operand, special = operand;
    if (mantissa_bits < format.mantissa_bits) {
      const int dropped = format.mantissa_bits - mantissa_bits;
      const bits half = bits(bits(1) << (dropped - 1));
      const B last = hn::And(hn::ShiftRightSame(operand, dropped), hn::Set(d, 1));
      result = hn::Add(hn::Add(operand, hn::Set(d, bits(half - 1))), last);
      result = hn::And(result, hn::Set(d, bits(~(2 * half - 1))));
    }
    if (exponent_bits < format.exponent_bits) {
      const int limit = (1 << (exponent_bits - 1)) - 1;
      const auto exponent = hn::AndNot(sign, result), negative = hn::And(result, sign);
      const auto first = [&](int field) { return hn::Set(d, bits(bits(field) << format.mantissa_bits)); };
      const auto too_large = hn::Not(hn::Lt(exponent, first(format.bias + limit + 1)));
      const auto too_small = hn::Lt(exponent, first(format.bias - limit + 1));
      result = hn::IfThenElse(too_large, hn::Or(infinity, negative), hn::IfThenElse(too_small, negative, result));
    }
    if (mantissa_bits == 0) special = hn::IfThenElse(hn::Eq(magnitude, infinity), operand, infinity);
    return hn::IfThenElse(is_special, special, result);
  }

  template <class R, class T>
  static constexpr ieee::bits_of<T> to_bits(T value) {
    if constexpr (std::same_as<R, T>)
      return ieee::to_bits(value);
    else
      return R(value).bits;
  }
  template <class R, class T>
  static constexpr T from_bits(ieee::bits_of<T> bits) {
    if constexpr (std::same_as<R, T>)
      return ieee::from_bits<T>(bits);
    else
      return T(R::from_bits(bits));
  }
};

}  // namespace tenon::ops

namespace tenon {

// reduce_precision<5, 10>(x): each element rounded as if to a float of so many exponent and mantissa bits. Floats and
// quantized numbers; the result has the type of the operand.
template <int ExponentBits, int MantissaBits, operand_like Operand>
constexpr auto reduce_precision(Operand&& operand,
                                elementwise_check<ops::reduce_precision{ExponentBits, MantissaBits}, Operand> = {}) {
  return apply_elementwise<ops::reduce_precision{ExponentBits, MantissaBits}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
