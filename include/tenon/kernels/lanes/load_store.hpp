// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/core/narrow_lanes.hpp>

#include <cstdint>
#include <type_traits>

// Elements of any type between memory and vectors: booleans are masks there, complex numbers pairs of vectors, and
// floats of at most 16 bits f32.
// Vectors of elements that lie at a distance from each other.
namespace tenon::kernels {

// The type of the lanes in which elements of T are worked on: f32 for narrower floats, that of the parts for complex
// numbers.
template <class T>
struct lane_of {
  using type = std::conditional_t<is_narrow_lane<T>(), f32, T>;
};
template <class T>
struct lane_of<complex<T>> {
  using type = T;
};
template <class T>
using lane_t = typename lane_of<T>::type;

// Booleans in memory as a mask over the lanes of D, and back.
template <class D>
HWY_INLINE hn::Mask<D> load_mask(D d, const bool* from, std::size_t count) {
  const hn::RebindToUnsigned<D> wide;
  const hn::Rebind<std::uint8_t, D> bytes;
  const auto loaded = load_first(bytes, reinterpret_cast<const std::uint8_t*>(from), count);
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(bytes, hn::Ne(loaded, hn::Zero(bytes)))));
  } else {
    return hn::RebindMask(d, hn::Ne(resize_lanes<decltype(wide), std::uint8_t>(wide, bytes, loaded), hn::Zero(wide)));
  }
}
template <class D>
HWY_INLINE void store_mask(D, hn::Mask<D> mask, bool* to, std::size_t count) {
  const hn::RebindToUnsigned<D> wide;
  const hn::Rebind<std::uint8_t, D> bytes;
  std::uint8_t* const target = reinterpret_cast<std::uint8_t*>(to);
  const auto ones = hn::IfThenElseZero(hn::RebindMask(wide, mask), hn::Set(wide, 1));
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    store_first(ones, bytes, target, count);
  } else {
    store_first(truncate_lanes<decltype(bytes), hn::TFromD<decltype(wide)>>(ones), bytes, target, count);
  }
}

#if HWY_TARGET <= HWY_AVX3
// The concatenated bits of masks of equal lane counts, from the mask at i on: `Bits` in all.
template <std::size_t Bits, std::size_t Lanes, class MaskAt>
HWY_INLINE auto joined_masks(const MaskAt& mask_at, std::size_t i) {
  if constexpr (Bits == Lanes) {
    return mask_at(i).raw;
  } else {
    const auto low = joined_masks<Bits / 2, Lanes>(mask_at, i),
               high = joined_masks<Bits / 2, Lanes>(mask_at, i + Bits / 2);
    if constexpr (Bits == 16)
      return _mm512_kunpackb(high, low);
    else if constexpr (Bits == 32)
      return _mm512_kunpackw(high, low);
    else
      return _mm512_kunpackd(high, low);
  }
}
#endif

// Concatenated masks over the lanes of D as booleans: in whole vectors of bytes, where the target can.
// Gives how many have been written.
template <class D, class MaskAt>
HWY_INLINE std::size_t store_masks([[maybe_unused]] D d, [[maybe_unused]] bool* to, [[maybe_unused]] std::size_t count,
                                   [[maybe_unused]] MaskAt mask_at) {
  std::size_t i = 0;
#if HWY_TARGET <= HWY_AVX3
  constexpr std::size_t lanes = hn::MaxLanes(D());
  if constexpr (lanes < 64) {
    const hn::ScalableTag<std::uint8_t> bytes;
    for (; i + 64 <= count; i += 64)
      hn::StoreU(hn::IfThenElseZero(hn::Mask<decltype(bytes)>{joined_masks<64, lanes>(mask_at, i)}, hn::Set(bytes, 1)),
                 bytes, reinterpret_cast<std::uint8_t*>(to) + i);
  }
#endif
  return i;
}

// Lanes of an operand or a result: a mask where the elements are booleans beside elements of type T.
template <class E, class D>
HWY_INLINE auto load_lanes(D d, const E* from, std::size_t count, std::size_t lanes) {
  if constexpr (std::is_same_v<E, bool>)
    return load_mask(d, from, count);
  else if constexpr (is_complex(dtype_of<E>))
    return load_complex(d, from, count, lanes);
  else
    return load_elements(d, from, count, lanes);
}
template <class T, class D>
HWY_INLINE void store_lanes(hn::Vec<D> value, D d, T* to, std::size_t count, std::size_t lanes) {
  store_elements(value, d, to, count, lanes);
}
template <class T, class D>
HWY_INLINE void store_lanes(const complex_vector<D>& value, D d, T* to, std::size_t count, std::size_t lanes) {
  store_complex(value, d, to, count, lanes);
}
template <class D>
HWY_INLINE void store_lanes(hn::Mask<D> mask, D d, bool* to, std::size_t count, std::size_t) {
  store_mask(d, mask, to, count);
}

template <class E, class D>
struct lanes_of_element {
  using type = std::conditional_t<std::is_same_v<E, bool>, hn::Mask<D>, hn::Vec<D>>;
};
template <class T, class D>
struct lanes_of_element<complex<T>, D> {
  using type = complex_vector<D>;
};
template <class E, class D>
using lanes_of = typename lanes_of_element<E, D>::type;

// An element in all lanes; a boolean as a mask over the lanes of D.
template <class D, class E>
HWY_INLINE auto repeat_element(D d, const E& element) {
  if constexpr (std::is_same_v<E, bool>)
    return hn::FirstN(d, element ? hn::Lanes(d) : 0);
  else if constexpr (is_complex(dtype_of<E>))
    return complex_vector<D>{hn::Set(d, element.real), hn::Set(d, element.imag)};
  else if constexpr (is_narrow_lane<E>())
    return hn::Set(d, convert_to<f32>(element));
  else
    return hn::Set(d, element);
}

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
