// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/dtype.hpp>
#include <tenon/core/ints.hpp>

#include <cstring>

namespace tenon {

namespace detail {

template <class T>
index_t read_index_as(const void* elements, index_t position) {
  T value;
  std::memcpy(&value, static_cast<const unsigned char*>(elements) + position * index_t(sizeof(T)), sizeof(T));
  if constexpr (sizeof(T) == 8 && T(-1) > T(0)) return value > T(INT64_MAX) ? INT64_MAX : index_t(value);
  return index_t(value);
}

}  // namespace detail

// Element `position` of a tensor of indices or sizes, which may be of any integer type. Saturates at the largest index_t.
inline index_t read_index(dtype type, const void* elements, index_t position = 0) {
  const bool is_signed = is_signed_integer(type);
  switch (storage_bytes(type)) {
    case 1:
      return is_signed ? detail::read_index_as<std::int8_t>(elements, position)
                       : detail::read_index_as<std::uint8_t>(elements, position);
    case 2:
      return is_signed ? detail::read_index_as<std::int16_t>(elements, position)
                       : detail::read_index_as<std::uint16_t>(elements, position);
    case 4:
      return is_signed ? detail::read_index_as<std::int32_t>(elements, position)
                       : detail::read_index_as<std::uint32_t>(elements, position);
    default:
      return is_signed ? detail::read_index_as<std::int64_t>(elements, position)
                       : detail::read_index_as<std::uint64_t>(elements, position);
  }
}

// All elements of a short one-dimensional tensor of indices.
inline ints read_indices(const void* elements, dtype type, index_t count) {
  ints result;
  for (index_t i = 0; i < count; ++i) result.push(read_index(type, elements, i));
  return result;
}

}  // namespace tenon
