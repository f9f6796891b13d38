// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>, <tenon/xla.hpp>.
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>

namespace tenon {

namespace detail {

template <class T, class Number>
consteval T literal(Number number) {
  if constexpr (element_traits<T>::is_floating) {
    if (f64(number) > f64(element_traits<T>::max())) fail("the number is too large for its type");
    return convert_to<T>(f64(number));
  } else {
    if (number > Number(element_traits<T>::max())) fail("the number is too large for its type");
    return convert_to<T>(number);
  }
}

}  // namespace detail

// Elements of every type as literals: 1.5_f16, 3_i4, 2_bf16. What the type cannot hold does not compile; digits that it
// has no room for are rounded.
inline namespace literals {

// clang-format off
consteval i2 operator""_i2(unsigned long long number) { return detail::literal<i2>(number); }
consteval i4 operator""_i4(unsigned long long number) { return detail::literal<i4>(number); }
consteval i8 operator""_i8(unsigned long long number) { return detail::literal<i8>(number); }
consteval i16 operator""_i16(unsigned long long number) { return detail::literal<i16>(number); }
consteval i32 operator""_i32(unsigned long long number) { return detail::literal<i32>(number); }
consteval i64 operator""_i64(unsigned long long number) { return detail::literal<i64>(number); }
consteval ui2 operator""_ui2(unsigned long long number) { return detail::literal<ui2>(number); }
consteval ui4 operator""_ui4(unsigned long long number) { return detail::literal<ui4>(number); }
consteval ui8 operator""_ui8(unsigned long long number) { return detail::literal<ui8>(number); }
consteval ui16 operator""_ui16(unsigned long long number) { return detail::literal<ui16>(number); }
consteval ui32 operator""_ui32(unsigned long long number) { return detail::literal<ui32>(number); }
consteval ui64 operator""_ui64(unsigned long long number) { return detail::literal<ui64>(number); }
consteval f16 operator""_f16(unsigned long long number) { return detail::literal<f16>(number); }
consteval f16 operator""_f16(long double number) { return detail::literal<f16>(number); }
consteval bf16 operator""_bf16(unsigned long long number) { return detail::literal<bf16>(number); }
consteval bf16 operator""_bf16(long double number) { return detail::literal<bf16>(number); }
consteval f32 operator""_f32(unsigned long long number) { return detail::literal<f32>(number); }
consteval f32 operator""_f32(long double number) { return detail::literal<f32>(number); }
consteval f64 operator""_f64(unsigned long long number) { return detail::literal<f64>(number); }
consteval f64 operator""_f64(long double number) { return detail::literal<f64>(number); }
// clang-format on

}  // namespace literals

}  // namespace tenon
