// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/integer_lanes.hpp>
#include <tenon/core/narrow_lanes.hpp>

#include <concepts>
#include <limits>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE::math::lanes {

// Whether f64 goes to i64 in vectors.
inline constexpr bool truncates_f64 = HWY_TARGET <= HWY_AVX3;

// Whether convert_lanes goes from From to To, both types of lanes; the others are converted element by element.
template <class To, class From>
constexpr bool converts_lanes() {
  if constexpr (!has_lanes<To> || !has_lanes<From>) {
    return false;
  } else if constexpr (std::same_as<To, From> || (std::integral<To> && std::integral<From>)) {
    return true;
  } else if constexpr (std::floating_point<To> && std::floating_point<From>) {
    // Highway's emulated targets round what is too large for f32 to the largest number instead of infinity.
    return sizeof(To) > sizeof(From) || !has_emulated_lanes;
  } else if constexpr (std::same_as<To, f32>) {
    return sizeof(From) <= 2 || std::same_as<From, i32>;
  } else {
    return std::integral<To> && (std::same_as<From, f64> ? truncates_f64 && !std::same_as<To, ui64>
                                                         : sizeof(To) <= 2 || std::same_as<To, i32>);
  }
}

#if HWY_TARGET <= HWY_AVX3
namespace detail {

// The nearest integers of fewer bits; below zero there are none for unsigned types.
template <class To>
HWY_INLINE auto saturate_512(__m512i value) {
  if constexpr (std::same_as<To, std::int8_t>)
    return _mm512_cvtsepi32_epi8(value);
  else if constexpr (std::same_as<To, std::int16_t>)
    return _mm512_cvtsepi32_epi16(value);
  else if constexpr (std::same_as<To, std::uint8_t>)
    return _mm512_cvtusepi32_epi8(value);
  else
    return _mm512_cvtusepi32_epi16(value);
}

}  // namespace detail

// Four vectors of f32 as one of bytes, as convert_lanes does it for each.
template <class To>
HWY_INLINE hn::Vec<hn::ScalableTag<To>> convert_to_bytes(const hn::Vec<hn::ScalableTag<f32>> (&values)[4]) {
  const hn::ScalableTag<f32> from;
  __m512i whole[4];
  for (int i = 0; i < 4; ++i) {
    const auto bounded = hn::Min(values[i], hn::Set(from, f32(std::numeric_limits<To>::max())));
    whole[i] = _mm512_maskz_cvttps_epi32(hn::Eq(values[i], values[i]).raw, bounded.raw);
  }
  // Numbers below the range of i32 give its smallest integer. Both steps go over blocks of 16 bytes.
  const __m512i low = _mm512_packs_epi32(whole[0], whole[1]), high = _mm512_packs_epi32(whole[2], whole[3]);
  const __m512i bytes = std::is_signed_v<To> ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return {_mm512_permutexvar_epi32(order, bytes)};
}
#endif

// Lanes of From as lanes of D, as convert_to does it for one element.
template <class D, class From, class V>
HWY_INLINE hn::Vec<D> convert_lanes(D d, hn::Rebind<From, D> from, V value) {
  using To = hn::TFromD<D>;
  if constexpr (std::same_as<To, From>) {
    return value;
  } else if constexpr (HWY_TARGET == HWY_SCALAR && std::integral<To> && std::same_as<From, f32>) {
    return hn::Vec<D>(convert_to<To>(value.raw));  // Highway goes by way of f64
  } else if constexpr (std::integral<To> && std::integral<From>) {
    return resize_lanes<D, From>(d, from, value);
  } else if constexpr (std::same_as<To, f64> && std::same_as<From, f32>) {
    return hn::PromoteTo(d, value);
  } else if constexpr (std::same_as<To, f32> && std::same_as<From, f64>) {
    return hn::DemoteTo(d, value);
  } else if constexpr (std::same_as<To, f32>) {
    const hn::Rebind<i32, D> whole;
    return hn::ConvertTo(d, resize_lanes<decltype(whole), From>(whole, from, value));
  } else {
    // NaN gives 0, what is out of range the nearest integer.
    const hn::Rebind<hwy::MakeSigned<From>, D> whole;
    const auto is_number = hn::Eq(value, value);
    constexpr From low = From(std::numeric_limits<To>::lowest()), high = From(std::numeric_limits<To>::max());
#if HWY_TARGET <= HWY_AVX3
    if constexpr (sizeof(To) == sizeof(From) && sizeof(value.raw) == 64) {
      // Numbers below the range give the smallest integer, and so would those above it.
      const __m512i most = hn::Set(whole, std::numeric_limits<To>::max()).raw;
      const auto too_large = hn::Ge(value, hn::Set(from, high));
      if constexpr (std::same_as<From, f64>)
        return hn::Vec<D>{
            _mm512_mask_mov_epi64(_mm512_maskz_cvttpd_epi64(is_number.raw, value.raw), too_large.raw, most)};
      else
        return hn::Vec<D>{
            _mm512_mask_mov_epi32(_mm512_maskz_cvttps_epi32(is_number.raw, value.raw), too_large.raw, most)};
    } else if constexpr (sizeof(To) == sizeof(From)) {
      return hn::IfThenElseZero(hn::RebindMask(whole, is_number), hn::ConvertTo(whole, value));
    } else if constexpr (sizeof(value.raw) == 64 && (std::same_as<From, f32> || std::same_as<To, i32>)) {
      const auto bounded = hn::Min(value, hn::Set(from, high));
      if constexpr (std::same_as<From, f64>) {
        return hn::Vec<D>{_mm512_maskz_cvttpd_epi32(is_number.raw, bounded.raw)};
      } else {
        // Numbers that become zero of an unsigned type are left out as NaN is.
        auto counts = is_number;
        if constexpr (std::is_unsigned_v<To>) counts = hn::Gt(value, hn::Zero(from));
        return hn::Vec<D>{detail::saturate_512<To>(_mm512_maskz_cvttps_epi32(counts.raw, bounded.raw))};
      }
    }
#endif
    const auto number = hn::IfThenElseZero(is_number, value);
    if constexpr (std::same_as<To, i32> && std::same_as<From, f64>)
      return hn::DemoteTo(d, number);
    else if constexpr (sizeof(To) == sizeof(From))
      return hn::ConvertTo(whole, number);
    else
      return resize_lanes<D, hwy::MakeSigned<From>>(
          d, whole, hn::ConvertTo(whole, hn::Min(hn::Max(number, hn::Set(from, low)), hn::Set(from, high))));
  }
}

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
