// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/list.hpp>
#include <tenon/core/tensor_type.hpp>

#include <string_view>

namespace tenon::core {

// A type as StableHLO text has it: tensor<2x3xf32>.
template <int Capacity>
constexpr message_text<Capacity>& operator<<(message_text<Capacity>& text, const tensor_type& type) {
  if (!type.is_tensor()) return text << name(type.element);
  text << "tensor<";
  for (int axis = 0; axis < type.rank(); ++axis)
    text << (type.is_bounded(axis) ? "?<=" : "") << type.shape.at[axis] << "x";
  return text << (type.is_quantized() ? "quant " : "") << name(type.element) << ">";
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
