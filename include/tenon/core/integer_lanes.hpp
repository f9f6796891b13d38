// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>

#include <cstdint>
#include <type_traits>

namespace tenon::core::inline HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3
// By one instruction, where Highway looks into tables or takes three steps.
template <class To, class From>
HWY_INLINE auto truncate_512(__m512i value) {
  if constexpr (sizeof(From) == 2)
    return _mm512_cvtepi16_epi8(value);
  else if constexpr (sizeof(From) == 4 && sizeof(To) == 1)
    return _mm512_cvtepi32_epi8(value);
  else if constexpr (sizeof(From) == 4)
    return _mm512_cvtepi32_epi16(value);
  else if constexpr (sizeof(To) == 1)
    return _mm512_cvtepi64_epi8(value);
  else if constexpr (sizeof(To) == 2)
    return _mm512_cvtepi64_epi16(value);
  else
    return _mm512_cvtepi64_epi32(value);
}
#endif

// The low bits of integers, as unsigned ones of the width of D. Highway's TruncateTo mixes up the lanes of vectors of
// 64 bytes on AVX-512, and of 32 bytes where that has VBMI.
template <class D, class From, class V>
HWY_INLINE auto truncate_lanes(V value) {
  const hn::RebindToUnsigned<D> narrow;
  const hn::Rebind<std::make_unsigned_t<From>, D> wide;
  const auto bits = hn::BitCast(wide, value);
#if HWY_TARGET <= HWY_AVX3
  using To = hn::TFromD<D>;
  using result = hn::Vec<decltype(narrow)>;
  if constexpr (sizeof(bits.raw) == 64) {
    return result{truncate_512<To, From>(bits.raw)};
  } else if constexpr (sizeof(bits.raw) == 32) {
    const auto low = truncate_512<To, From>(_mm512_castsi256_si512(bits.raw));
    if constexpr (sizeof(low) == 32)
      return result{_mm256_castsi256_si128(low)};
    else
      return result{low};
  } else
#endif
  {
    return hn::TruncateTo(narrow, bits);
  }
}

// From one width of integers to another, dropping the high bits or filling them up with the sign.
template <class D, class From, class V>
HWY_INLINE hn::Vec<D> resize_lanes(D d, hn::Rebind<From, D> from, V value) {
  using To = hn::TFromD<D>;
  if constexpr (sizeof(To) == sizeof(From)) {
    return hn::BitCast(d, value);
  } else if constexpr (sizeof(To) < sizeof(From)) {
    return hn::BitCast(d, truncate_lanes<D, From>(value));
  } else if constexpr (sizeof(To) > 2 * sizeof(From)) {
    // Not every target widens by more than a factor of two or four.
    using middle = std::conditional_t<std::is_signed_v<From>, hwy::MakeSigned<hwy::MakeNarrow<To>>,
                                      hwy::MakeUnsigned<hwy::MakeNarrow<To>>>;
    const hn::Rebind<middle, D> half;
    return resize_lanes<D, middle>(d, half, resize_lanes<decltype(half), From>(half, from, value));
  } else {
    using wide = std::conditional_t<std::is_signed_v<From>, std::make_signed_t<To>, std::make_unsigned_t<To>>;
    return hn::BitCast(d, hn::PromoteTo(hn::Rebind<wide, D>(), value));
  }
}

// How many products of neighbours an instruction adds up in a lane of 32 bits: of bytes, or of halves with a sign.
#if HWY_TARGET <= HWY_AVX3 && defined(__AVX512VNNI__)
inline constexpr int most_products_in_lane = 4;
#else
inline constexpr int most_products_in_lane = HWY_ARCH_X86 && !has_emulated_lanes ? 2 : 1;
#endif

// sum + a0 * b0 + a1 * b1 + ... for two halves with a sign in each lane, or for four bytes, those of b with a sign.
template <int Products, class D, class V>
HWY_INLINE V add_products_in_lanes(D, V a, V b, V sum) {
#if HWY_TARGET <= HWY_AVX3 && defined(__AVX512VNNI__)
  if constexpr (Products == 4) return V{_mm512_dpbusd_epi32(sum.raw, a.raw, b.raw)};
  if constexpr (Products == 2 && sizeof(sum.raw) == 64) return V{_mm512_dpwssd_epi32(sum.raw, a.raw, b.raw)};
#endif
  const hn::RebindToSigned<D> whole;
  const hn::Repartition<std::int16_t, D> halves;
  auto unused = hn::Zero(whole);
  return hn::BitCast(D(), hn::ReorderWidenMulAccumulate(whole, hn::BitCast(halves, a), hn::BitCast(halves, b),
                                                        hn::BitCast(whole, sum), unused));
}

}  // namespace tenon::core::inline HWY_NAMESPACE
