// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/list.hpp>
#include <tenon/core/tensor_type.hpp>

#include <string_view>

namespace tenon::core {

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

template <int Capacity>
constexpr message_text<Capacity>& operator<<(message_text<Capacity>& text, const tensor_type& type) {
  write_type(type, [&](char c) { text.push(c); });
  return text;
}
template <int Capacity>
constexpr message_text<Capacity>& operator<<(message_text<Capacity>& text, list<tensor_type> types) {
  for (int i = 0; i < types.size; ++i) text << (i > 0 ? ", " : "") << types.data[i];
  return text;
}

// The same text in an array of its own length, as compilers print template arguments to the last byte.
template <int Size, int Capacity>
constexpr message_text<Size> cut_message(const message_text<Capacity>& from) {
  message_text<Size> result;
  for (int i = 0; i < Size; ++i) result.push(from.at[i]);
  return result;
}

}  // namespace tenon::core
