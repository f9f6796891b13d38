// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/element.hpp>
#include <tenon/math/ieee.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

namespace tenon::ops {

template <class T>
constexpr bool has_nan(tenon::complex<T> z) {
  return ieee::is_nan(z.real) || ieee::is_nan(z.imag);
}

// By the real part, among equal ones by the imaginary part.
template <class T>
constexpr bool lexicographic_less(tenon::complex<T> a, tenon::complex<T> b) {
  return ieee::equal(a.real, b.real) ? ieee::less(a.imag, b.imag) : ieee::less(a.real, b.real);
}

// The larger or the smaller of two: the first NaN if there is one, and +0 above -0.
template <bool Larger, class T>
constexpr T extreme(T lhs, T rhs) {
  const auto chosen = [&](auto less) { return (Larger ? less(lhs, rhs) : less(rhs, lhs)) ? rhs : lhs; };
  if constexpr (std::integral<T>) {
    return chosen(std::less());
  } else if constexpr (binary_float<T>) {
    if (ieee::is_nan(lhs) || ieee::is_nan(rhs)) return ieee::is_nan(lhs) ? lhs : rhs;
    // Equal numbers differ at most in the sign of a zero.
    const auto a = ieee::to_bits(lhs), b = ieee::to_bits(rhs);
    return lhs == rhs ? ieee::from_bits<T>(Larger ? a & b : a | b) : chosen(std::less());
  } else {
    if (has_nan(lhs) || has_nan(rhs)) return has_nan(lhs) ? lhs : rhs;
    return chosen([](T a, T b) { return lexicographic_less(a, b); });
  }
}

// An integer that orders numbers as totalOrder of IEEE-754 does: -NaN, -infinity ... -0, +0 ... +infinity, +NaN.
template <binary_float T>
constexpr auto total_order_key(T x) {
  using bits = ieee::bits_of<T>;
  using key = std::make_signed_t<bits>;
  const bits pattern = ieee::to_bits(x);
  return key(ieee::is_negative(x) ? pattern ^ bits(~ieee::sign_bit<T>) : pattern);
}

// An integer in the order of the elements of a type that has one, which is the total order for floats.
template <std::integral T>
constexpr T order_of_element(T x) {
  return x;
}
template <binary_float T>
constexpr auto order_of_element(T x) {
  return total_order_key(x);
}
template <class Self, dtype Type>
constexpr int order_of_element(const small_float<Self, Type>& x) {
  const int sign = int(format_of(Type).sign()), pattern = int(x.bits);
  return (pattern & sign) != 0 ? -1 - (pattern & (sign - 1)) : pattern;
}
template <class Self, dtype Type>
constexpr int order_of_element(const small_integer<Self, Type>& x) {
  return int(x.value);
}

}  // namespace tenon::ops
