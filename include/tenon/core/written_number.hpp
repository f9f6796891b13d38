// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/ints.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

// Numbers of C++ that stand for elements: `x * 2`, and lists of them: `tensor<i8, 2>{1, 2}`.
namespace tenon::core {

template <class T>
inline constexpr bool is_whole = std::integral<T> || is_integer(dtype_of<T>);

// A number with a fraction stands for no element of an integer type, not even 2.0.
template <class T, class Number>
inline constexpr bool is_number_for = !(is_whole<T> && std::floating_point<Number>);

// The number in the widest type of its kind.
template <class Number>
constexpr auto widened_number(Number number) {
  if constexpr (std::same_as<Number, bool> || std::same_as<Number, float> || std::same_as<Number, double>)
    return number;
  else if constexpr (std::floating_point<Number>)
    return double(number);
  else if constexpr (std::signed_integral<Number>)
    return std::int64_t(number);
  else
    return std::uint64_t(number);
}

// Whether an element of T holds the number: an integer exactly, a float if it is not beyond the largest one.
// @pre is_number_for<T, Number>
template <class T, class Number>
constexpr bool holds_number(Number number) {
  const auto wide = widened_number(number);
  using wide_type = std::remove_const_t<decltype(wide)>;
  if constexpr (is_complex(dtype_of<T>)) {
    return holds_number<element_t<real_type(dtype_of<T>)>>(number);
  } else if constexpr (is_whole<T>) {
    const T element = convert_to<T>(wide);
    const bool is_negative = !std::same_as<T, std::uint64_t> && convert_to<std::int64_t>(element) < 0;
    return convert_to<wide_type>(element) == wide && (wide < wide_type(0)) == is_negative;
  } else {
    const double given = double(wide), magnitude = given < 0 ? -given : given;
    const double half_a_step = 1.0 / double(std::uint64_t(2) << element_traits<T>::mantissa_bits);
    const bool is_finite = magnitude <= element_traits<double>::max();
    return !is_finite || magnitude <= convert_to<double>(element_traits<T>::max()) * (1 + half_a_step);
  }
}

// The element of T that a number stands for; fails where T has none.
template <class T, class Number>
constexpr T element_of_number(Number number) {
  if constexpr (std::same_as<T, Number>) {
    return number;
  } else {
    static_assert(
        is_number_for<T, Number>,
        "tenon: a number with a fraction stands for an element of an integer type: write an integer, or convert "
        "the tensor");
    if constexpr (is_number_for<T, Number>) {
      if (!holds_number<T>(number)) {
        if constexpr (std::floating_point<Number>)
          fail("a number is larger than any ", name(dtype_of<T>));
        else
          fail("the number ", widened_number(number), " is outside ", name(dtype_of<T>));
      }
      return convert_to<T>(widened_number(number));
    } else {
      return T{};
    }
  }
}

}  // namespace tenon::core

namespace tenon::detail {

// An element as it is written in a list: a number stands for an element of any type that holds it.
template <class T>
struct written_element {
  T value;

  constexpr written_element(T element) : value(element) {}
  template <class Number>
    requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, T>)
  constexpr written_element(Number number) : value(element_of_number<T>(number)) {}
};

template <class T, class... Elements>
concept written_elements = (std::is_convertible_v<Elements, written_element<T>> && ...);

// Nested braces for a tensor of rank Depth.
template <class T, int Depth>
struct nested_list {
  using type = std::initializer_list<typename nested_list<T, Depth - 1>::type>;
};
template <class T>
struct nested_list<T, 0> {
  using type = written_element<T>;
};

template <class T>
constexpr void copy_nested(const written_element<T>& value, const index_t*, T*& to) {
  *to++ = value.value;
}
template <class T, class Inner>
constexpr void copy_nested(std::initializer_list<Inner> values, const index_t* shape, T*& to) {
  if (index_t(values.size()) != *shape)
    fail("a list of ", values.size(), " elements was given where the tensor has ", *shape);
  for (const Inner& value : values) copy_nested<T>(value, shape + 1, to);
}

// Braced rows, whose numbers are part of the array's type.
template <class T, class Row, std::size_t Size>
constexpr void copy_rows(const Row (&rows)[Size], T*& to) {
  for (const Row& row : rows) {
    if constexpr (std::is_array_v<Row>)
      copy_rows<T>(row, to);
    else
      *to++ = row.value;
  }
}

}  // namespace tenon::detail
