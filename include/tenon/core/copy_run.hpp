// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tenon {

// Sixteen bytes, for elements of complex<f64>.
struct element_bytes_16 {
  std::uint64_t low, high;
};

// What stands for every element of T's size.
template <class T>
using bytes_like = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                          std::conditional_t<sizeof(T) == 8, std::uint64_t, element_bytes_16>>>>;

// Rows that stay in the first cache are done before memcpy and its like would have looked at their sizes. Part of the
// loop over rows: a call for each would take as long as a short row.
[[gnu::always_inline]] inline void copy_row(void* to, const void* from, index_t bytes) {
  using chunk [[gnu::vector_size(64)]] = unsigned char;
  constexpr index_t size = sizeof(chunk), most = 8192;
  if (bytes < size || bytes > most) {
    if (bytes > 0) std::memcpy(to, from, std::size_t(bytes));
    return;
  }
  unsigned char* const target = static_cast<unsigned char*>(to);
  const unsigned char* const source = static_cast<const unsigned char*>(from);
  const auto copy = [&](index_t at) {
    chunk copied;
    std::memcpy(&copied, source + at, size);
    std::memcpy(target + at, &copied, size);
  };
  index_t i = 0;
  // Written out, for processors that are slower to write in short loops.
  const auto copy_four = [&](index_t at) { copy(at), copy(at + size), copy(at + 2 * size), copy(at + 3 * size); };
  for (; i + 8 * size <= bytes; i += 8 * size) copy_four(i), copy_four(i + 4 * size);
  if (i + 4 * size <= bytes) copy_four(i), i += 4 * size;
  for (; i + size <= bytes; i += size) copy(i);
  if (i < bytes) copy(bytes - size);
}

namespace detail {

// 64 bytes full of copies of a value. One vector operation: what is written in pieces would have to reach memory before
// it could be read as a whole.
template <class Bytes, class Chunk>
void repeat_in_chunk(const Bytes& value, Chunk& chunk) {
  const auto broadcast = [&]<class Vector, class Element>(Vector*, Element element) {
    std::memcpy(&element, &value, sizeof element);
    const Vector all = Vector{} + element;
    std::memcpy(&chunk, &all, sizeof chunk);
  };
  using bytes_1 [[gnu::vector_size(64)]] = std::uint8_t;
  using bytes_2 [[gnu::vector_size(64)]] = std::uint16_t;
  using bytes_4 [[gnu::vector_size(64)]] = std::uint32_t;
  using bytes_8 [[gnu::vector_size(64)]] = std::uint64_t;
  if constexpr (sizeof(Bytes) == 1)
    broadcast(static_cast<bytes_1*>(nullptr), std::uint8_t{});
  else if constexpr (sizeof(Bytes) == 2)
    broadcast(static_cast<bytes_2*>(nullptr), std::uint16_t{});
  else if constexpr (sizeof(Bytes) == 4)
    broadcast(static_cast<bytes_4*>(nullptr), std::uint32_t{});
  else if constexpr (sizeof(Bytes) == 8)
    broadcast(static_cast<bytes_8*>(nullptr), std::uint64_t{});
  else
    for (std::size_t i = 0; i < sizeof chunk; i += sizeof(Bytes))
      std::memcpy(reinterpret_cast<unsigned char*>(&chunk) + i, &value, sizeof(Bytes));
}

}  // namespace detail

template <class Bytes>
[[gnu::always_inline]] inline void fill_row(Bytes* to, const Bytes& value, index_t count) {
  using chunk [[gnu::vector_size(64)]] = unsigned char;
  constexpr index_t in_chunk = index_t(sizeof(chunk) / sizeof(Bytes));
  index_t i = 0;
  if (count >= in_chunk) {
    chunk repeated;
    detail::repeat_in_chunk(value, repeated);
    const auto fill = [&](index_t at) { std::memcpy(static_cast<void*>(to + at), &repeated, sizeof repeated); };
    for (; i + in_chunk <= count; i += in_chunk) fill(i);
    if (i < count) fill(count - in_chunk);
    return;
  }
  for (; i < count; ++i) to[i] = value;
}

// to[i] = from[i * stride]
template <class Bytes>
void copy_run(Bytes* to, const Bytes* from, index_t stride, index_t count) {
  if (stride == 1) {
    copy_row(to, from, count * index_t(sizeof(Bytes)));
  } else if (stride == 0) {
    fill_row(to, *from, count);
  } else if (stride == -1) {
    // Distances that are constants become shuffles.
    for (index_t i = 0; i < count; ++i) to[i] = from[-i];
  } else if (stride == 2) {
    for (index_t i = 0; i < count; ++i) to[i] = from[2 * i];
  } else {
    for (index_t i = 0; i < count; ++i) to[i] = from[i * stride];
  }
}

}  // namespace tenon
