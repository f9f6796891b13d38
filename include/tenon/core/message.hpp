// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/list.hpp>
#include <tenon/core/tensor_type.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon::core {

// Writes a number in decimal form, a character at a time.
template <std::integral Integer, class Push>
constexpr void write_integer(Integer number, Push push) {
  if (number < 0) push('-');
  const std::uint64_t magnitude = number < 0 ? 0 - std::uint64_t(number) : std::uint64_t(number);
  std::uint64_t unit = 1;
  while (magnitude / unit >= 10) unit *= 10;
  for (; unit > 0; unit /= 10) push(char('0' + magnitude / unit % 10));
}

// Writes a type as StableHLO text does: tensor<2x3xf32>.
template <class Push>
constexpr void write_type(const tensor_type& type, Push push) {
  const auto write = [&](std::string_view part) {
    for (char c : part) push(c);
  };
  if (!type.is_tensor()) return write(name(type.element));
  write("tensor<");
  for (int axis = 0; axis < type.rank(); ++axis) {
    if (type.is_bounded(axis)) write("?<=");
    write_integer(type.shape.at[axis], push);
    push('x');
  }
  if (type.is_quantized()) write("quant ");
  write(name(type.element));
  push('>');
}

// A text put together while compiling, or without a heap. What does not fit is left out.
template <int Capacity>
struct message_text {
  char at[Capacity + 1]{};
  int length = 0;

  constexpr void push(char c) {
    if (length < Capacity) at[length++] = c;
  }
  constexpr message_text& operator<<(std::string_view part) {
    for (char c : part) push(c);
    return *this;
  }
  template <std::integral Integer>
  constexpr message_text& operator<<(Integer number) {
    write_integer(number, [&](char c) { push(c); });
    return *this;
  }
  constexpr message_text& operator<<(const tensor_type& type) {
    write_type(type, [&](char c) { push(c); });
    return *this;
  }
  constexpr message_text& operator<<(list<tensor_type> types) {
    for (int i = 0; i < types.size; ++i) *this << (i > 0 ? ", " : "") << types.data[i];
    return *this;
  }

  constexpr const char* data() const { return at; }
  constexpr std::size_t size() const { return std::size_t(length); }
  constexpr std::string_view view() const { return {at, size()}; }
};

// The same text in an array of its own length, as compilers print template arguments to the last byte.
template <int Size, int Capacity>
constexpr message_text<Size> cut_message(const message_text<Capacity>& from) {
  message_text<Size> result;
  for (int i = 0; i < Size; ++i) result.push(from.at[i]);
  return result;
}

}  // namespace tenon::core
