// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/core/short_rows.hpp>
#include <tenon/graph/plan.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace tenon {

namespace detail {

// `rows` rows of `row` elements, one after the other.
template <class Bytes>
void copy_rows(Bytes* to, const Bytes* from, index_t row_stride, index_t stride, index_t rows, index_t row) {
  if (stride == 1) {
    const index_t bytes = row * index_t(sizeof(Bytes));
    if (are_even_rows(bytes))
      copy_spaced_rows(to, bytes, from, row_stride * index_t(sizeof(Bytes)), rows, bytes);
    else if (row_stride == 0)
      for (index_t r = 0; r < rows; ++r) copy_row(to + r * row, from, bytes);
    else
      for (index_t r = 0; r < rows; ++r) copy_scattered_row(to + r * row, from + r * row_stride, bytes);
  } else if (stride == 0) {
    for (index_t r = 0; r < rows; ++r) fill_row(to + r * row, from[r * row_stride], row);
  } else if (short_rows<Bytes>::serve && stride == 2) {
    copy_every_other(to, from, row_stride, rows, row);
  } else {
    for (index_t r = 0; r < rows; ++r) copy_run(to + r * row, from + r * row_stride, stride, row);
  }
}

template <class Bytes>
void copy_row_by_row(Bytes* to, const Bytes* from, const strided_access& access, index_t first, index_t count) {
  from += access.base;
  const int inner = access.sizes.size - 1;
  if (inner <= 0) {
    const index_t stride = inner < 0 ? 0 : access.strides.at[0];
    copy_run(to, from + first * stride, stride, count);
    return;
  }
  ints index = ints::filled(inner + 1, 0);
  index_t rest = first, position = 0;
  for (int d = inner; d >= 0; --d) {
    index.at[d] = rest % access.sizes.at[d];
    rest /= access.sizes.at[d];
    position += index.at[d] * access.strides.at[d];
  }
  const index_t row = access.sizes.at[inner], stride = access.strides.at[inner];
  const index_t rows = access.sizes.at[inner - 1], row_stride = access.strides.at[inner - 1];
  // What is left of a row, or as many whole ones as follow each other along the dimension before.
  while (true) {
    index_t done = 1;
    if (index.at[inner] == 0 && count >= row) {
      const index_t whole = count / row, left = rows - index.at[inner - 1];
      done = left < whole ? left : whole;
      copy_rows(to, from + position, row_stride, stride, done, row);
      to += done * row;
      count -= done * row;
    } else {
      const index_t left = row - index.at[inner], run = left < count ? left : count;
      copy_run(to, from + position, stride, run);
      position -= index.at[inner] * stride;
      index.at[inner] = 0;
      to += run;
      count -= run;
    }
    if (count == 0) return;
    position += done * row_stride;
    index.at[inner - 1] += done;
    for (int d = inner - 1; d >= 0 && index.at[d] == access.sizes.at[d]; --d) {
      position -= access.sizes.at[d] * access.strides.at[d];
      index.at[d] = 0;
      if (d > 0) position += access.strides.at[d - 1], ++index.at[d - 1];
    }
  }
}

template <class Bytes>
void copy_strided(Bytes* to, const Bytes* from, const strided_access& access, index_t first, index_t count) {
  if constexpr (short_rows<Bytes>::serve)
    if (short_rows<Bytes> rows; rows.prepare(access.sizes, access.strides, count))
      return rows.copy(
          to, from + access.base, access.sizes, access.strides, first, count,
          [&](Bytes* part, index_t start, index_t some) { copy_row_by_row(part, from, access, start, some); });
  copy_row_by_row(to, from, access, first, count);
}

// Several lines of the cache that a walk across will read, a few columns ahead.
template <class Bytes>
void fetch_ahead(const Bytes* column, index_t distance, index_t rows) {
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(column) + std::uintptr_t(distance) * sizeof(Bytes);
  for (index_t at = 0; at < rows * index_t(sizeof(Bytes)); at += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(start + std::uintptr_t(at)));
}

// to[r * to_row + c] = from[r + c * from_column] for small blocks of r and c.
template <class Bytes>
inline constexpr index_t turned_at_a_time = sizeof(Bytes) == 4   ? 4
                                            : sizeof(Bytes) == 8 ? 2
                                                                 : 1;

template <class Bytes>
void turn_block(Bytes* to, index_t to_row, const Bytes* from, index_t from_column) {
  if constexpr (sizeof(Bytes) == 4) {
    using four [[gnu::vector_size(16)]] = std::uint32_t;
    const auto load = [&](index_t c) {
      four column;
      std::memcpy(&column, from + c * from_column, 16);
      return column;
    };
    const auto store = [&](index_t r, const four& row) { std::memcpy(to + r * to_row, &row, 16); };
    const four a = load(0), b = load(1), c = load(2), d = load(3);
    const four ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5), ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    const four bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5), bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    store(0, __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5));
    store(1, __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7));
    store(2, __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5));
    store(3, __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7));
  } else {
    constexpr index_t side = turned_at_a_time<Bytes>;
    for (index_t r = 0; r < side; ++r)
      for (index_t c = 0; c < side; ++c) to[r * to_row + c] = from[r + c * from_column];
  }
}
#if HWY_TARGET <= HWY_AVX3
// The same for blocks as wide as vectors: what is interleaved with what lies half a block further on, again and again,
// ends up turned.
template <class Bytes>
inline constexpr index_t turned_in_vectors = sizeof(Bytes) == 4 || sizeof(Bytes) == 8 ? 64 / index_t(sizeof(Bytes)) : 0;

template <int I, class Vector, int... L>
HWY_INLINE void interleave_pair(const Vector* in, Vector* out, std::integer_sequence<int, L...>) {
  constexpr int side = int(sizeof...(L)), half = side / 2;
  out[2 * I] = __builtin_shufflevector(in[I], in[I + half], (L / 2 + L % 2 * side)...);
  out[2 * I + 1] = __builtin_shufflevector(in[I], in[I + half], (half + L / 2 + L % 2 * side)...);
}
template <class Vector, int... I>
HWY_INLINE void interleave_halves(const Vector* in, Vector* out, std::integer_sequence<int, I...>) {
  (interleave_pair<I>(in, out, std::make_integer_sequence<int, 2 * int(sizeof...(I))>()), ...);
}
template <class Bytes, int... K>
HWY_INLINE void turn_vectors_of(Bytes* to, index_t to_row, const Bytes* from, index_t from_column,
                                std::integer_sequence<int, K...>) {
  using vector [[gnu::vector_size(64)]] = Bytes;
  constexpr int side = int(sizeof...(K));
  constexpr std::make_integer_sequence<int, side / 2> pairs;
  vector now[side], next[side];
  (std::memcpy(&now[K], from + K * from_column, 64), ...);
  interleave_halves(now, next, pairs), interleave_halves(next, now, pairs), interleave_halves(now, next, pairs);
  if constexpr (side == 16) {
    interleave_halves(next, now, pairs);
    (std::memcpy(to + K * to_row, &now[K], 64), ...);
  } else {
    (std::memcpy(to + K * to_row, &next[K], 64), ...);
  }
}
template <class Bytes>
void turn_vectors(Bytes* to, index_t to_row, const Bytes* from, index_t from_column) {
  turn_vectors_of(to, to_row, from, from_column, std::make_integer_sequence<int, int(turned_in_vectors<Bytes>)>());
}
#else
template <class Bytes>
inline constexpr index_t turned_in_vectors = 0;
#endif

template <class Bytes>
void copy_box(Bytes* to, index_t to_row, const Bytes* from, index_t from_row, index_t from_column, index_t rows,
              index_t row) {
  constexpr index_t side = turned_at_a_time<Bytes>;
  if (from_row != 1 || from_column == 0 || from_column == 1) {
    for (index_t r = 0; r < rows; ++r) copy_run(to + r * to_row, from + r * from_row, from_column, row);
    return;
  }
  // A line of the cache is used up before the next ones are read; these are asked for early, here and in the next box.
  constexpr index_t ahead = 16;
  index_t c = 0;
#if HWY_TARGET <= HWY_AVX3
  if constexpr (constexpr index_t wide = turned_in_vectors<Bytes>; wide > 0) {
    for (; c + wide <= row; c += wide) {
      for (index_t k = c; k < c + wide; ++k) fetch_ahead(from, (k + ahead) * from_column, rows);
      index_t r = 0;
      for (; r + wide <= rows; r += wide)
        turn_vectors(to + r * to_row + c, to_row, from + r + c * from_column, from_column);
      for (; r < rows; ++r)
        for (index_t k = c; k < c + wide; ++k) to[r * to_row + k] = from[r + k * from_column];
    }
  }
#endif
  for (; c + side <= row; c += side) {
    for (index_t k = c; k < c + side; ++k) fetch_ahead(from, (k + ahead) * from_column, rows);
    index_t r = 0;
    for (; r + side <= rows; r += side)
      turn_block(to + r * to_row + c, to_row, from + r + c * from_column, from_column);
    for (; r < rows; ++r)
      for (index_t k = c; k < c + side; ++k) to[r * to_row + k] = from[r + k * from_column];
  }
  for (; c < row; ++c)
    for (index_t r = 0; r < rows; ++r) to[r * to_row + c] = from[r + c * from_column];
}

}  // namespace detail

// to[r * to_row + c] = from[r * from_row + c * from_column] for so many rows of so many elements.
inline void copy_box(void* to, index_t to_row, const void* from, index_t from_row, index_t from_column, int bytes,
                     index_t rows, index_t row) {
  const auto copy = [&]<class Bytes>(Bytes) {
    detail::copy_box(static_cast<Bytes*>(to), to_row, static_cast<const Bytes*>(from), from_row, from_column, rows,
                     row);
  };
  detail::with_bytes(bytes, copy);
}

// Elements first, first + 1, ... of a walk over `from`, one after the other. `count` is not 0 and stays within the
// walk.
inline void copy_strided(void* to, const void* from, int bytes, const strided_access& access, index_t first,
                         index_t count) {
  const auto copy = [&]<class Bytes>(Bytes) {
    detail::copy_strided(static_cast<Bytes*>(to), static_cast<const Bytes*>(from), access, first, count);
  };
  detail::with_bytes(bytes, copy);
}

// to[r * row + i] = from[r] for `rows` rows.
inline void repeat_along_rows(void* to, const void* from, int bytes, index_t rows, index_t row) {
  const auto repeat = [&]<class Bytes>(Bytes) {
    Bytes* target = static_cast<Bytes*>(to);
    for (index_t r = 0; r < rows; ++r, target += row) copy_run(target, static_cast<const Bytes*>(from) + r, 0, row);
  };
  detail::with_bytes(bytes, repeat);
}

}  // namespace tenon
