// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/ieee.hpp>

#include <type_traits>

namespace tenon {

template <class T>
constexpr bool has_nan(complex<T> z) {
  return ieee::is_nan(z.real) || ieee::is_nan(z.imag);
}

// By the real part, among equal ones by the imaginary part.
template <class T>
constexpr bool lexicographic_less(complex<T> a, complex<T> b) {
  return ieee::equal(a.real, b.real) ? ieee::less(a.imag, b.imag) : ieee::less(a.real, b.real);
}
template <class T>
constexpr bool lexicographic_less_or_equal(complex<T> a, complex<T> b) {
  return ieee::equal(a.real, b.real) ? ieee::less_or_equal(a.imag, b.imag) : ieee::less(a.real, b.real);
}

// An integer that orders numbers as totalOrder of IEEE-754 does: -NaN, -infinity ... -0, +0 ... +infinity, +NaN.
template <binary_float T>
constexpr auto total_order_key(T x) {
  using bits = ieee::bits_of<T>;
  using key = std::make_signed_t<bits>;
  const bits pattern = ieee::to_bits(x);
  return key(ieee::is_negative(x) ? pattern ^ bits(~ieee::sign_bit<T>) : pattern);
}

}  // namespace tenon
