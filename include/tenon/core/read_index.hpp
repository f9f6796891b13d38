// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/ints.hpp>

#include <cstring>
#include <type_traits>

namespace tenon {

// Element `position` of a tensor of indices or sizes, which may be of any integer type. Saturates at the largest
// index_t.
inline index_t read_index(dtype type, const void* elements, index_t position = 0) {
  return visit<dtype::i64, dtype::i32, dtype::ui32, dtype::ui64, dtype::i16, dtype::ui16, dtype::i8, dtype::ui8,
               dtype::i4, dtype::ui4, dtype::i2, dtype::ui2>(type, [&]<class T>() {
    T value;
    std::memcpy(&value, static_cast<const unsigned char*>(elements) + position * index_t(sizeof value), sizeof value);
    if constexpr (std::same_as<T, ui64>) value = value < ui64(INT64_MAX) ? value : ui64(INT64_MAX);
    return convert_to<index_t>(value);
  });
}

// The same for many of them: to[i] is the one at position to[i], kept between `low` and `high`.
inline void read_indices_at(dtype type, const void* elements, index_t* to, index_t count, index_t low, index_t high) {
  visit<dtype::i64, dtype::i32, dtype::ui32, dtype::ui64, dtype::i16, dtype::ui16, dtype::i8, dtype::ui8, dtype::i4,
        dtype::ui4, dtype::i2, dtype::ui2>(type, [=]<class T>() {
    for (index_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, static_cast<const unsigned char*>(elements) + to[i] * index_t(sizeof value), sizeof value);
      if constexpr (std::same_as<T, ui64>) value = value < ui64(INT64_MAX) ? value : ui64(INT64_MAX);
      const index_t index = convert_to<index_t>(value);
      to[i] = index < low ? low : index > high ? high : index;
    }
  });
}

// Adds offset_of(index) to to[i], for the `count` indices at `first`, `first` + step, ...
template <class Offset>
void add_index_offsets(dtype type, const void* elements, index_t first, index_t step, index_t count, Offset offset_of,
                       index_t* to) {
  visit<dtype::i64, dtype::i32, dtype::ui32, dtype::ui64, dtype::i16, dtype::ui16, dtype::i8, dtype::ui8, dtype::i4,
        dtype::ui4, dtype::i2, dtype::ui2>(type, [=]<class T>() {
    const unsigned char* const at = static_cast<const unsigned char*>(elements) + first * index_t(sizeof(T));
    const auto add = [=](auto distance) {
      for (index_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, at + i * distance * index_t(sizeof(T)), sizeof value);
        if constexpr (std::same_as<T, ui64>) value = value < ui64(INT64_MAX) ? value : ui64(INT64_MAX);
        to[i] += offset_of(convert_to<index_t>(value));
      }
    };
    // Neighbours of the usual types are read in vectors.
    if constexpr (std::same_as<T, i32> || std::same_as<T, i64>)
      if (step == 1) return add(std::integral_constant<index_t, 1>{});
    add(step);
  });
}

// All elements of a short one-dimensional tensor of indices.
inline ints read_indices(const void* elements, dtype type, index_t count) {
  ints result;
  for (index_t i = 0; i < count; ++i) result.push(read_index(type, elements, i));
  return result;
}

}  // namespace tenon
