// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/format/number.hpp>

#include <limits>
#include <string>
#include <string_view>

// What numbers in text are compared with.
namespace tenon::numbers {

using namespace core;
inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr auto ok = number_status::ok;
inline constexpr auto malformed = number_status::malformed;
inline constexpr auto out_of_range = number_status::out_of_range;

template <class T>
constexpr bool reads(std::string_view text, ui64 bits, number_status status = ok) {
  const auto result = read_number<T>(text);
  return result.status == status && to_bits(result.value) == bits;
}
template <class T>
constexpr bool reads(std::string_view text, T value, number_status status = ok) {
  return reads<T>(text, to_bits(value), status);
}

inline std::string shortest(auto value) {
  char text[number_text_size];
  return {text, write_number(text, text + number_text_size, value)};
}
inline std::string literal(auto value) {
  char text[number_text_size];
  return {text, write_literal(text, text + number_text_size, value)};
}

}  // namespace tenon::numbers
