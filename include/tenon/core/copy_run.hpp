// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/register_bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tenon::core {

// Sixteen bytes, for elements of complex<f64>.
struct element_bytes_16 {
  std::uint64_t low, high;
};

// The type that represents every element of T's size.
template <class T>
using bytes_like = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                          std::conditional_t<sizeof(T) == 8, std::uint64_t, element_bytes_16>>>>;

// f(T{}) for a T of that size, which stands for every element type of the size. `Sizes`: the sum of those that occur.
template <unsigned Sizes = 31, class Function>
void with_bytes(index_t bytes, Function f) {
  const auto call = [&]<class Bytes>(Bytes each) {
    if constexpr ((Sizes & sizeof(Bytes)) != 0) return bytes == index_t(sizeof(Bytes)) && (f(each), true);
    return false;
  };
  if (call(std::uint8_t{}) || call(std::uint16_t{}) || call(std::uint32_t{}) || call(std::uint64_t{})) return;
  if constexpr ((Sizes & 16) != 0) return f(element_bytes_16{});
#ifdef NDEBUG
  __builtin_unreachable();
#else
  fail("no code for elements of ", bytes, " bytes");
#endif
}

template <class Piece>
[[gnu::always_inline]] inline void copy_piece(void* to, const void* from) {
  Piece piece;
  std::memcpy(&piece, from, sizeof piece);
  std::memcpy(to, &piece, sizeof piece);
}

// Pieces I of a row, all of which are loaded before any is stored.
template <class Piece, int... I>
[[gnu::always_inline]] inline void copy_pieces_at_once(unsigned char* to, const unsigned char* from,
                                                       std::integer_sequence<int, I...>) {
  constexpr int size = int(sizeof(Piece));
  Piece pieces[sizeof...(I)];
  (copy_piece<Piece>(&pieces[I], from + I * size), ...);
  (copy_piece<Piece>(to + I * size, &pieces[I]), ...);
}

// Pieces 0 to Count - 1 of a row. Loads that wait for no store are faster, where there are registers for all of them.
template <class Piece, int Count = 1>
[[gnu::always_inline]] inline void copy_pieces(unsigned char* to, const unsigned char* from) {
  if constexpr (int(sizeof(Piece)) > register_bytes) {
    using part [[gnu::vector_size(register_bytes)]] = unsigned char;
    constexpr int size = int(sizeof(Piece));
    for (int i = 0; i < Count; ++i)
      copy_pieces_at_once<part>(to + i * size, from + i * size,
                                std::make_integer_sequence<int, size / register_bytes>());
  } else if constexpr (register_bytes == 64) {
    copy_pieces_at_once<Piece>(to, from, std::make_integer_sequence<int, Count>());
  } else {
    for (int i = 0; i < Count; ++i) copy_piece<Piece>(to + i * int(sizeof(Piece)), from + i * int(sizeof(Piece)));
  }
}

using copied_chunk [[gnu::vector_size(64)]] = unsigned char;
inline constexpr index_t chunk_bytes = sizeof(copied_chunk);
// Rows of more bytes are left to memcpy: all of them where code is wanted small.
#ifdef __OPTIMIZE_SIZE__
inline constexpr index_t most_copied_inline = 0;
#else
inline constexpr index_t most_copied_inline = 8192;
#endif

// Fewer bytes than a chunk: their first and their last piece, which may overlap.
[[gnu::always_inline]] inline void copy_short_row(unsigned char* to, const unsigned char* from, index_t bytes) {
  using half [[gnu::vector_size(32)]] = unsigned char;
  using quarter [[gnu::vector_size(16)]] = unsigned char;
  const auto copy_ends = [=]<class Piece>() {
    const index_t last = bytes - index_t(sizeof(Piece));
    if (last >= 0) copy_pieces<Piece>(to, from), copy_pieces<Piece>(to + last, from + last);
    return last >= 0;
  };
  (void)(copy_ends.template operator()<half>() || copy_ends.template operator()<quarter>() ||
         copy_ends.template operator()<std::uint64_t>() || copy_ends.template operator()<std::uint32_t>() ||
         copy_ends.template operator()<std::uint16_t>() || copy_ends.template operator()<std::uint8_t>());
}

// The part of `bytes` that is less than 2 * Chunks chunks.
template <int Chunks>
[[gnu::always_inline]] inline void copy_rest(unsigned char* to, const unsigned char* from, index_t bytes) {
  if constexpr (Chunks > 0) {
    constexpr index_t part = Chunks * chunk_bytes;
    if ((bytes & part) == 0) return copy_rest<Chunks / 2>(to, from, bytes);
    copy_pieces<copied_chunk, Chunks>(to, from);
    copy_rest<Chunks / 2>(to + part, from + part, bytes);
  }
}

// A row that the next one follows closely. Short rows cost less than a call of memcpy and its choice by size.
[[gnu::always_inline]] inline void copy_row(void* to, const void* from, index_t bytes) {
  constexpr index_t size = chunk_bytes;
  unsigned char* const target = static_cast<unsigned char*>(to);
  const unsigned char* const source = static_cast<const unsigned char*>(from);
  if (most_copied_inline == 0 || bytes > most_copied_inline) return void(std::memcpy(to, from, std::size_t(bytes)));
  if (bytes < size) return copy_short_row(target, source, bytes);
  index_t i = 0;
  for (; i + size <= bytes; i += size) copy_pieces<copied_chunk>(target + i, source + i);
  if (i < bytes) copy_pieces<copied_chunk>(target + bytes - size, source + bytes - size);
}

// A row that is followed by one elsewhere. No short loops: hardware would prefetch beyond the row, at half bandwidth.
[[gnu::always_inline]] inline void copy_scattered_row(void* to, const void* from, index_t bytes) {
  constexpr int chunks = 16;
  constexpr index_t size = chunk_bytes, shortest = 4 * size, part = chunks * size;
  if (bytes < shortest || bytes > most_copied_inline) return copy_row(to, from, bytes);
  unsigned char* const target = static_cast<unsigned char*>(to);
  const unsigned char* const source = static_cast<const unsigned char*>(from);
  index_t i = 0;
  for (; i + part <= bytes; i += part) copy_pieces<copied_chunk, chunks>(target + i, source + i);
  copy_rest<chunks / 2>(target + i, source + i, bytes);
  if (bytes % size != 0) copy_pieces<copied_chunk>(target + bytes - size, source + bytes - size);
}

// Rows of so many chunks, of which the last two may overlap.
template <int Chunks, class Position>
void copy_rows_of(unsigned char* to, index_t step, const unsigned char* from, Position position_of, index_t rows,
                  index_t bytes) {
  const index_t last = bytes - chunk_bytes;
  for (index_t r = 0; r < rows; ++r, to += step) {
    const unsigned char* const row = from + position_of(r);
    if constexpr (Chunks > 1) copy_pieces<copied_chunk, Chunks - 1>(to, row);
    copy_pieces<copied_chunk>(to + last, row + last);
  }
}

inline constexpr int most_chunks_of_rows = 16;

template <class Position, int... Chunks>
void copy_even_rows(void* to, index_t step, const void* from, Position position_of, index_t rows, index_t bytes,
                    std::integer_sequence<int, Chunks...>) {
  const int chunks = int((bytes - 1) / chunk_bytes);
  (void)((chunks == Chunks &&
          (copy_rows_of<Chunks + 1>(static_cast<unsigned char*>(to), step, static_cast<const unsigned char*>(from),
                                    position_of, rows, bytes),
           true)) ||
         ...);
}

// Rows of so many bytes are copied fastest where how many vectors they have is known while compiling.
constexpr bool are_even_rows(index_t bytes) {
  return chunk_bytes <= bytes && bytes <= most_chunks_of_rows * chunk_bytes && bytes <= most_copied_inline;
}

// Such rows: row r lies at position_of(r) from `from` on, and is written to r * step. All in bytes.
template <class Position>
void copy_placed_rows(void* to, index_t step, const void* from, Position position_of, index_t rows, index_t bytes) {
  copy_even_rows(to, step, from, position_of, rows, bytes, std::make_integer_sequence<int, most_chunks_of_rows>());
}
// The same for rows `from_step` apart.
inline void copy_spaced_rows(void* to, index_t step, const void* from, index_t from_step, index_t rows, index_t bytes) {
  copy_placed_rows(to, step, from, [=](index_t r) { return r * from_step; }, rows, bytes);
}

// 64 bytes of copies of a value, by one vector operation: smaller stores would not be forwarded to the load.
template <class Bytes, class Chunk>
void repeat_in_chunk(const Bytes& value, Chunk& chunk) {
  if constexpr (sizeof(Bytes) <= 8) {
    using integer = bytes_like<Bytes>;
    using vector [[gnu::vector_size(64)]] = integer;
    integer element;
    std::memcpy(&element, &value, sizeof element);
    const vector all = vector{} + element;
    std::memcpy(&chunk, &all, sizeof chunk);
  } else {
    for (std::size_t i = 0; i < sizeof chunk; i += sizeof(Bytes))
      std::memcpy(reinterpret_cast<unsigned char*>(&chunk) + i, &value, sizeof(Bytes));
  }
}

template <class Bytes>
[[gnu::always_inline]] inline void fill_row(Bytes* to, const Bytes& value, index_t count) {
  constexpr index_t in_chunk = index_t(sizeof(copied_chunk) / sizeof(Bytes));
  index_t i = 0;
  if (most_copied_inline > 0 && count >= in_chunk) {
    copied_chunk repeated{};
    repeat_in_chunk(value, repeated);
    const auto fill = [&](index_t at) { std::memcpy(static_cast<void*>(to + at), &repeated, sizeof repeated); };
    for (; i + in_chunk <= count; i += in_chunk) fill(i);
    if (i < count) fill(count - in_chunk);
    return;
  }
  for (; i < count; ++i) to[i] = value;
}

// Distances that are constants become shuffles.
template <index_t Stride, class Bytes>
[[gnu::always_inline]] inline void copy_at_distance(Bytes* to, const Bytes* from, index_t count) {
  for (index_t i = 0; i < count; ++i) to[i] = from[i * Stride];
}

// to[i] = from[i * stride]
template <class Bytes>
void copy_run(Bytes* to, const Bytes* from, index_t stride, index_t count) {
  if (stride == 1) {
    copy_row(to, from, count * index_t(sizeof(Bytes)));
  } else if (stride == 0) {
    fill_row(to, *from, count);
  } else {
    const auto is_copied = [&]<index_t... Known>(std::integer_sequence<index_t, Known...>) {
      return ((stride == Known && (copy_at_distance<Known>(to, from, count), true)) || ...);
    }(std::integer_sequence<index_t, -1, 2, 3, 4>());
    for (index_t i = 0; i < count && !is_copied; ++i) to[i] = from[i * stride];
  }
}

}  // namespace tenon::core
