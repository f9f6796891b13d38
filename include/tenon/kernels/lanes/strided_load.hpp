// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>

#include <cstdint>

// Vectors of elements that lie at a distance from each other.
namespace tenon::kernels {

// Every second lane of two vectors, where one shuffle gives them.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
template <class T>
inline constexpr bool shuffles_once = sizeof(T) >= 4;
template <class D>
HWY_INLINE hn::Vec<D> odd_lanes(D d, hn::Vec<D> high, hn::Vec<D> low) {
  return hn::ConcatOdd(d, high, low);
}
template <class D>
HWY_INLINE hn::Vec<D> even_lanes(D d, hn::Vec<D> high, hn::Vec<D> low) {
  return hn::ConcatEven(d, high, low);
}
#else
template <class T>
inline constexpr bool shuffles_once = false;
#endif

// Elements 0, 2, 4, ..., `count` of them, which are loaded from the one in front of them on if that `IsOdd`: where
// others lie in between, both are loaded once. Reads nothing behind the last of them if that `IsExact`.
template <bool IsOdd, bool IsExact, class D, class T>
HWY_INLINE hn::Vec<D> load_every_other(D d, const T* from, std::size_t count) {
  if constexpr (shuffles_once<T>) {
    const std::size_t w = hn::Lanes(d);
    const T* const begin = from - (IsOdd ? 1 : 0);
    if constexpr (IsExact) {
      const std::size_t all = 2 * count - (IsOdd ? 0 : 1);
      const auto low = load_first(d, begin, all < w ? all : w);
      const auto high = all > w ? load_first(d, begin + w, all - w) : hn::Zero(d);
      return IsOdd ? odd_lanes(d, high, low) : even_lanes(d, high, low);
    } else {
      return IsOdd ? odd_lanes(d, hn::LoadU(d, begin + w), hn::LoadU(d, begin))
                   : even_lanes(d, hn::LoadU(d, begin + w), hn::LoadU(d, begin));
    }
  } else {
    constexpr std::size_t most = hn::MaxLanes(d);
    HWY_ALIGN T taken[most] = {};
    for (std::size_t k = 0; k < count && k < most; ++k) taken[k] = from[2 * k];
    return hn::Load(d, taken);
  }
}

// Highway 1.0 reverses no bytes: they are turned pair by pair, and then within pairs.
template <class D>
HWY_INLINE hn::Vec<D> reversed_lanes(D d, hn::Vec<D> value) {
  if constexpr (sizeof(hn::TFromD<D>) > 1 || hn::MaxLanes(D()) == 1) {
    return hn::Reverse(d, value);
  } else {
    const hn::Repartition<std::uint16_t, D> pairs;
    const auto turned = hn::Reverse(pairs, hn::BitCast(pairs, value));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(turned), hn::ShiftRight<8>(turned)));
  }
}

// Elements 0, Stride, 2 * Stride, ... after `i` of these. Reads nothing in front of `from` or behind the last of them.
template <index_t Stride, class D, class T>
HWY_INLINE hn::Vec<D> load_apart(D d, const T* from, index_t i, std::size_t count, std::size_t lanes) {
  from += i * Stride;
  if (count < lanes || (Stride > 0 && i == 0)) {
    constexpr std::size_t most = hn::MaxLanes(d);
    HWY_ALIGN T gathered[most] = {};
    for (std::size_t k = 0; k < count && k < most; ++k) gathered[k] = from[index_t(k) * Stride];
    return hn::Load(d, gathered);
  }
  if constexpr (Stride == -1) {
    return reversed_lanes(d, hn::LoadU(d, from - (index_t(lanes) - 1)));
  } else {
    // The wanted elements come last of each few, so that nothing behind the last one is read.
    from -= Stride - 1;
    if constexpr (Stride == 2 && shuffles_once<T>) {
      return odd_lanes(d, hn::LoadU(d, from + lanes), hn::LoadU(d, from));
    } else if constexpr (Stride == 2) {
      hn::Vec<D> a, b;
      hn::LoadInterleaved2(d, from, a, b);
      return b;
    } else if constexpr (Stride == 3) {
      hn::Vec<D> a, b, c;
      hn::LoadInterleaved3(d, from, a, b, c);
      return c;
    } else {
      hn::Vec<D> a, b, c, e;
      hn::LoadInterleaved4(d, from, a, b, c, e);
      return e;
    }
  }
}

}  // namespace tenon::kernels
