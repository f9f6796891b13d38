// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/contraction/product_tile.hpp>
#include <tenon/ops/contraction/packing.hpp>

#include <cstdint>
#include <type_traits>

namespace tenon::kernels::inline HWY_NAMESPACE {

namespace tiling {

// to[k * row + j] = from[j * from_row + k] for small blocks of k and j.
template <class T>
HWY_INLINE void transpose_block(const T* from, [[maybe_unused]] index_t from_row, T* to, [[maybe_unused]] index_t row) {
#if HWY_TARGET == HWY_SCALAR
  *to = *from;
#else
  const hn::FixedTag<T, 16 / sizeof(T)> d;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_row);
  if constexpr (sizeof(T) == 8) {
    hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + row);
  } else {
    const auto c = hn::LoadU(d, from + 2 * from_row), e = hn::LoadU(d, from + 3 * from_row);
    const auto ac_lower = hn::InterleaveLower(d, a, c), ac_upper = hn::InterleaveUpper(d, a, c);
    const auto be_lower = hn::InterleaveLower(d, b, e), be_upper = hn::InterleaveUpper(d, b, e);
    hn::StoreU(hn::InterleaveLower(d, ac_lower, be_lower), d, to);
    hn::StoreU(hn::InterleaveUpper(d, ac_lower, be_lower), d, to + row);
    hn::StoreU(hn::InterleaveLower(d, ac_upper, be_upper), d, to + 2 * row);
    hn::StoreU(hn::InterleaveUpper(d, ac_upper, be_upper), d, to + 3 * row);
  }
#endif
}

// Lanes of T for `count` neighbouring elements.
template <class T, class E>
void widen_run(const E* from, index_t count, T* to) {
  using vec = product_lanes<T>;
  const index_t lanes = vec::count();
  index_t i = 0;
  for (; i + lanes <= count; i += lanes) vec::store(vec::load_widened(from + i, lanes), to + i);
  if (i < count) vec::store_first(vec::load_widened(from + i, count - i), to + i, count - i);
}

// The other way round: lanes as elements, floats rounded, integers cut off.
template <class T, class E>
void narrow_run(const T* from, index_t count, E* to) {
  index_t i = 0;
  if constexpr (std::is_integral_v<E>) {
    for (; i < count; ++i) to[i] = E(from[i]);
  } else if constexpr (!has_own_lanes<T>) {
    const typename product_lanes<T>::D d;
    const index_t lanes = product_lanes<T>::count();
    for (; i < count; i += lanes) {
      const index_t some = count - i < lanes ? count - i : lanes;
      const auto value = some == lanes ? hn::LoadU(d, from + i) : core::load_first(d, from + i, std::size_t(some));
      store_elements(value, d, to + i, std::size_t(some), std::size_t(lanes));
    }
  } else {
    for (; i < count; ++i) to[i] = convert_to<E>(from[i]);
  }
}

// Copies `depth` x `width` entries of B to a panel whose rows are padded with zeros to vectors. Gives their length.
template <class T, class E>
index_t pack_panel(const strided_matrix<const E>& b, index_t depth, index_t width, T* to) {
  using tile = product_tile<T>;
  constexpr bool widens = !std::is_same_v<T, E>;
  const index_t lanes = tile::lanes(), panel = width > lanes ? tile::panel() : lanes;
  if (b.column == 1) {
    using vec = product_lanes<T>;
    const auto load = [&](const E* from, index_t count) {
      if constexpr (widens)
        return vec::load_widened(from, count);
      else
        return count == lanes ? vec::load(from) : vec::load_first(from, count);
    };
    for (index_t k = 0; k < depth; ++k)
      for (index_t j = 0; j < panel; j += lanes) {
        const index_t left = width - j;
        vec::store(left > 0 ? load(b.at(k, j), left < lanes ? left : lanes) : vec::zero(), to + k * panel + j);
      }
    return panel;
  }
  index_t whole_columns = 0, whole_depth = 0;
  if constexpr (!widens) {
    constexpr index_t block = HWY_TARGET == HWY_SCALAR ? 1 : 16 / index_t(sizeof(T));
    whole_columns = b.row == 1 ? width / block * block : 0;
    whole_depth = depth / block * block;
    for (index_t j = 0; j < whole_columns; j += block)
      for (index_t k = 0; k < whole_depth; k += block) transpose_block(b.at(k, j), b.column, to + k * panel + j, panel);
  } else if (b.row == 1) {
    T column[ops::packing::block_depth];
    whole_columns = width;
    whole_depth = depth;
    for (index_t j = 0; j < width; ++j) {
      widen_run(b.at(0, j), depth, column);
      for (index_t k = 0; k < depth; ++k) to[k * panel + j] = column[k];
    }
  }
  for (index_t j = 0; j < panel; ++j)
    for (index_t k = j < whole_columns ? whole_depth : 0; k < depth; ++k)
      to[k * panel + j] = j < width ? widened<T>(*b.at(k, j)) : T{};
  return panel;
}

// The entries of a product of elements of E in lanes of T, one in a lane.
template <class T, class E>
struct widened_entries {
  using tile = product_tile<T>;
  static constexpr index_t lanes_of_column = 1, together = 1, first_rows = 0;

  // Of a number of entries along the contracting dimension.
  static constexpr index_t lanes_deep(index_t depth) { return depth; }

  static index_t pack_panel(const strided_matrix<const E>& b, index_t depth, index_t width, T* to) {
    return tiling::pack_panel<T, E>(b, depth, width, to);
  }
  // to[p] = a(i, k0 + p)
  static void pack_row(const strided_matrix<const E>& a, index_t i, index_t k0, index_t depth, T* to) {
    if (a.column == 1) return widen_run(a.at(i, k0), depth, to);
    for (index_t p = 0; p < depth; ++p) to[p] = widened<T>(*a.at(i, k0 + p));
  }
};

// Complex entries as two lanes: rows as they are, and panels in which entry x + yi is the matrix (x, y; -y, x), by
// which (u, v) times it is the product of complex numbers.
template <class T>
struct complex_entries {
  using tile = product_tile<T>;
  using E = complex<T>;
  static constexpr index_t lanes_of_column = 2, together = 1, first_rows = 0;

  static constexpr index_t lanes_deep(index_t depth) { return 2 * depth; }

  static void pack_row(const strided_matrix<const E>& a, index_t i, index_t k0, index_t depth, T* to) {
    for (index_t p = 0; p < depth; ++p) {
      const E entry = *a.at(i, k0 + p);
      to[2 * p] = entry.real, to[2 * p + 1] = entry.imag;
    }
  }
  // `width`: of columns.
  static void pack_panel(const strided_matrix<const E>& b, index_t depth, index_t width, T* to) {
    const index_t panel = 2 * width > tile::lanes() ? tile::panel() : tile::lanes();
    const auto put = [&](index_t k, index_t j) {
      const E entry = *b.at(k, j);
      T *const upper = to + 2 * k * panel + 2 * j, *const lower = upper + panel;
      upper[0] = entry.real, upper[1] = entry.imag;
      lower[0] = -entry.imag, lower[1] = entry.real;
    };
    if (b.column == 1) {
      for (index_t k = 0; k < depth; ++k)
        for (index_t j = 0; j < width; ++j) put(k, j);
    } else {
      for (index_t j = 0; j < width; ++j)
        for (index_t k = 0; k < depth; ++k) put(k, j);
    }
    for (index_t k = 0; k < 2 * depth; ++k)
      for (index_t j = 2 * width; j < panel; ++j) to[k * panel + j] = T{};
  }
};

// How elements of E become lanes of T.
template <class T, class E>
struct entries_of : std::type_identity<widened_entries<T, E>> {};
template <class T>
struct entries_of<T, complex<T>> : std::type_identity<complex_entries<T>> {};
template <class T, class E>
using product_entries = typename entries_of<T, E>::type;

}  // namespace tiling
}  // namespace tenon::kernels::inline HWY_NAMESPACE
