// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan.hpp>

#include <cstdint>
#include <cstring>

namespace tenon {

// Sixteen bytes, for elements of complex<f64>.
struct element_bytes_16 {
  std::uint64_t low, high;
};

namespace detail {

template <class Bytes>
void copy_run(Bytes* to, const Bytes* from, index_t stride, index_t count) {
  if (stride == 1) {
    std::memcpy(to, from, std::size_t(count) * sizeof(Bytes));
  } else if (stride == 0) {
    const Bytes value = *from;
    for (index_t i = 0; i < count; ++i) to[i] = value;
  } else {
    for (index_t i = 0; i < count; ++i) to[i] = from[i * stride];
  }
}

template <class Bytes>
void copy_strided(Bytes* to, const Bytes* from, const strided_access& access, index_t first, index_t count) {
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
  while (true) {
    const index_t left = row - index.at[inner], run = left < count ? left : count;
    copy_run(to, from + position, stride, run);
    count -= run;
    if (count == 0) return;
    to += run;
    position -= index.at[inner] * stride;
    index.at[inner] = 0;
    for (int d = inner - 1; d >= 0; --d) {
      position += access.strides.at[d];
      if (++index.at[d] < access.sizes.at[d]) break;
      position -= access.sizes.at[d] * access.strides.at[d];
      index.at[d] = 0;
    }
  }
}

}  // namespace detail

// Elements first, first + 1, ... of a walk over `from`, one after the other. `count` is not 0 and stays within the
// walk.
inline void copy_strided(void* to, const void* from, int bytes, const strided_access& access, index_t first,
                         index_t count) {
  const auto copy = [&]<class Bytes>(Bytes) {
    detail::copy_strided(static_cast<Bytes*>(to), static_cast<const Bytes*>(from), access, first, count);
  };
  switch (bytes) {
    case 1:
      return copy(std::uint8_t{});
    case 2:
      return copy(std::uint16_t{});
    case 4:
      return copy(std::uint32_t{});
    case 8:
      return copy(std::uint64_t{});
    default:
      return copy(element_bytes_16{});
  }
}

// to[r * row + i] = from[r] for `rows` rows.
inline void repeat_along_rows(void* to, const void* from, int bytes, index_t rows, index_t row) {
  const auto repeat = [&]<class Bytes>(Bytes) {
    Bytes* target = static_cast<Bytes*>(to);
    for (index_t r = 0; r < rows; ++r, target += row)
      detail::copy_run(target, static_cast<const Bytes*>(from) + r, 0, row);
  };
  switch (bytes) {
    case 1:
      return repeat(std::uint8_t{});
    case 2:
      return repeat(std::uint16_t{});
    case 4:
      return repeat(std::uint32_t{});
    case 8:
      return repeat(std::uint64_t{});
    default:
      return repeat(element_bytes_16{});
  }
}

}  // namespace tenon
