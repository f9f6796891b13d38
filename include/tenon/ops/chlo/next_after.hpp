// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/math/ieee.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlonext_after_chlonextafterop
// The number of the element type next to x on the way to y; y where they are equal, NaN where one of them is.
struct next_after {
  static constexpr std::string_view dialect = "chlo", name = "next_after";

  static constexpr tensor_type infer(rules& rule, const tensor_type& x, const tensor_type& y) {
    return infer_same_type(rule, {"next_after_i1", "next_after_i2", "next_after_c1"}, accepts::floating_point, x, y);
  }

  // R is the element type of the result: f32 is what narrower ones are computed in.
  template <class R, class T>
  static constexpr T element(T x, T y) {
    if (ieee::is_nan(x) || ieee::is_nan(y)) return ieee::nan<T>;
    if (ieee::equal(x, y)) return y;
    const bool up = ieee::less(x, y);
    if (ieee::equal(x, T(0))) return T(from_bits(R{}, up ? 1 : sign_of(R{}) | 1));
    // Away from zero the bits count up.
    const auto bits = bits_of(R(x));
    const auto next = up == !ieee::is_negative(x) ? bits + 1 : bits - 1;
    const T result = T(from_bits(R{}, next));
    // -0 has no bits of its own everywhere.
    return ieee::magnitude(result) == T(0) || ieee::is_nan(result) ? ieee::with_sign_of(T(0), x) : result;
  }

 private:
  template <binary_float R>
  static constexpr std::uint64_t bits_of(R x) {
    return ieee::to_bits(x);
  }
  template <class R>
  static constexpr std::uint64_t bits_of(R x) {
    return x.bits;
  }
  template <binary_float R>
  static constexpr R from_bits(R, std::uint64_t bits) {
    return ieee::from_bits<R>(ieee::bits_of<R>(bits));
  }
  template <class R>
  static constexpr R from_bits(R, std::uint64_t bits) {
    return R::from_bits(bits);
  }
  template <binary_float R>
  static constexpr std::uint64_t sign_of(R) {
    return ieee::sign_bit<R>;
  }
  template <class R>
  static constexpr std::uint64_t sign_of(R) {
    return format_of(dtype_of<R>).sign();
  }
};

}  // namespace tenon::ops

namespace tenon {

// The next number after x towards y, element by element. Floats; operands and result have one type, one operand may be
// a number.
constexpr auto next_after(auto&& x, auto&& y, elementwise_check<ops::next_after{}, decltype(x), decltype(y)> = {}) {
  return apply_elementwise<ops::next_after{}>(static_cast<decltype(x)>(x), static_cast<decltype(y)>(y));
}

}  // namespace tenon
