// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rooms.hpp>

namespace tenon::core {

// A view of neighbouring values that somebody else owns. Reading past the end gives a default value, so that rules may
// go on after another has failed.
template <class T>
struct list {
  const T* data = nullptr;
  int size = 0;

  constexpr T operator[](int i) const { return 0 <= i && i < size ? data[i] : T{}; }
  constexpr const T* begin() const { return data; }
  constexpr const T* end() const { return data + size; }
  constexpr bool empty() const { return size == 0; }
  constexpr list part(int first, int count) const {
    if (first < 0 || count < 0 || first > size || count > size - first) return {};
    return {data + first, count};
  }

  friend constexpr bool operator==(const list& a, const list& b) {
    if (a.size != b.size) return false;
    for (int i = 0; i < a.size; ++i)
      if (!(a.data[i] == b.data[i])) return false;
    return true;
  }
};

// A list that grows within memory that somebody else owns. What does not fit is refused and remembered.
template <class T>
struct table {
  T* data = nullptr;
  int size = 0;
  int capacity = 0;
  bool overflow = false;

  constexpr int push(const T& value) {
    if (size >= capacity) {
      overflow = true;
      return capacity > 0 ? capacity - 1 : 0;
    }
    data[size] = value;
    return size++;
  }
  constexpr T& operator[](int i) { return data[i]; }
  constexpr const T& operator[](int i) const { return data[i]; }
  constexpr const T* begin() const { return data; }
  constexpr const T* end() const { return data + size; }
  constexpr list<T> part(int first, int count) const { return {data + first, count}; }
};

}  // namespace tenon::core
