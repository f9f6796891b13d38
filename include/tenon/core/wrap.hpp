// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

// Arithmetic that wraps around for integers, where C++ leaves signed overflow undefined and promotes short types.
namespace tenon::core::wrap {

namespace detail {
// Of integers, at least as wide as unsigned int, so that no promotion makes the computation signed.
template <class T>
struct wide_of : std::type_identity<T> {};
template <std::integral T>
struct wide_of<T> : std::common_type<std::make_unsigned_t<T>, unsigned> {};
template <class T>
using wide = typename wide_of<T>::type;
}  // namespace detail

template <class T>
constexpr T add(T lhs, T rhs) {
  return T(detail::wide<T>(lhs) + detail::wide<T>(rhs));
}
template <class T>
constexpr T subtract(T lhs, T rhs) {
  return T(detail::wide<T>(lhs) - detail::wide<T>(rhs));
}
template <class T>
constexpr T multiply(T lhs, T rhs) {
  return T(detail::wide<T>(lhs) * detail::wide<T>(rhs));
}
template <class T>
constexpr T negate(T operand) {
  return T(-detail::wide<T>(operand));
}

}  // namespace tenon::core::wrap
