// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/ints.hpp>

#include <cstring>
#include <type_traits>

namespace tenon::core {

// An element of a tensor of indices or sizes, which may be of any integer type. Saturates at the largest index_t.
template <class T>
constexpr index_t to_index(T value) {
  if constexpr (std::same_as<T, ui64>) value = value < ui64(INT64_MAX) ? value : ui64(INT64_MAX);
  return convert_to<index_t>(value);
}
template <class T>
index_t index_at(const void* elements, index_t position) {
  T value;
  std::memcpy(&value, static_cast<const unsigned char*>(elements) + position * index_t(sizeof value), sizeof value);
  return to_index(value);
}
constexpr index_t kept_index(index_t index, index_t low, index_t high) {
  return index < low ? low : index > high ? high : index;
}

template <class Function>
auto visit_index_type(dtype type, Function f) {
  return visit<dtype::i64, dtype::i32, dtype::ui32, dtype::ui64, dtype::i16, dtype::ui16, dtype::i8, dtype::ui8,
               dtype::i4, dtype::ui4, dtype::i2, dtype::ui2>(type, f);
}

// Element `position` of such a tensor.
inline index_t read_index(dtype type, const void* elements, index_t position = 0) {
  return visit_index_type(type, [&]<class T>() { return index_at<T>(elements, position); });
}

// The same for many of them: to[i] is the one at position to[i], kept between `low` and `high`.
inline void read_indices_at(dtype type, const void* elements, index_t* to, index_t count, index_t low, index_t high) {
  visit_index_type(type, [=]<class T>() {
    for (index_t i = 0; i < count; ++i) to[i] = kept_index(index_at<T>(elements, to[i]), low, high);
  });
}

// Adds offset_of(index) to to[i], for the `count` indices at `first`, `first` + step, ...
template <class Offset>
void add_index_offsets(dtype type, const void* elements, index_t first, index_t step, index_t count, Offset offset_of,
                       index_t* to) {
  visit_index_type(type, [=]<class T>() {
    const unsigned char* const at = static_cast<const unsigned char*>(elements) + first * index_t(sizeof(T));
    const auto add = [=](auto distance) {
      for (index_t i = 0; i < count; ++i) to[i] += offset_of(index_at<T>(at, i * distance));
    };
    // Neighbours of the usual types are read in vectors.
    if constexpr (std::same_as<T, i32> || std::same_as<T, ui32> || std::same_as<T, i64>)
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

}  // namespace tenon::core
