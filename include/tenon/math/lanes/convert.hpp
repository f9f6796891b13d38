// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/narrow_lanes.hpp>

#include <concepts>
#include <limits>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE::math::lanes {

// Whether convert_lanes goes from From to To, both types of lanes; the others are converted element by element.
template <class To, class From>
constexpr bool converts_lanes() {
  if constexpr (!has_lanes<To> || !has_lanes<From>) {
    return false;
  } else if constexpr (std::same_as<To, From> || (std::integral<To> && std::integral<From>)) {
    return true;
  } else if constexpr (std::floating_point<To> && std::floating_point<From>) {
    // Highway's emulated targets round what is too large for f32 to the largest number instead of infinity.
    return sizeof(To) > sizeof(From) || (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128);
  } else if constexpr (std::same_as<To, f32>) {
    return sizeof(From) <= 2 || std::same_as<From, i32>;
  } else {
    return std::same_as<From, f32> && (sizeof(To) <= 2 || std::same_as<To, i32>);
  }
}

// The low bits of integers, as unsigned ones of the width of D. Highway's TruncateTo to bytes mixes up lanes of 32 and
// 64 bits on AVX-512.
template <class D, class From, class V>
HWY_INLINE auto truncate_lanes(V value) {
  using To = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> narrow;
  const hn::Rebind<std::make_unsigned_t<From>, D> wide;
  const auto bits = hn::BitCast(wide, value);
  if constexpr (sizeof(To) == 1 && sizeof(From) == 8) {
    const hn::Rebind<std::uint32_t, D> half;
    return truncate_lanes<D, std::uint32_t>(hn::TruncateTo(half, bits));
  } else if constexpr (sizeof(To) == 1 && sizeof(From) == 4) {
    const hn::Rebind<std::int32_t, D> signed_wide;
    return hn::DemoteTo(narrow, hn::BitCast(signed_wide, hn::And(bits, hn::Set(wide, 0xFF))));
  } else {
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

// Lanes of From as lanes of D, as convert_to does it for one element.
template <class D, class From, class V>
HWY_INLINE hn::Vec<D> convert_lanes(D d, hn::Rebind<From, D> from, V value) {
  using To = hn::TFromD<D>;
  if constexpr (std::same_as<To, From>) {
    return value;
  } else if constexpr (std::integral<To> && std::integral<From>) {
    return resize_lanes<D, From>(d, from, value);
  } else if constexpr (sizeof(To) > sizeof(From) && std::same_as<From, f32>) {
    return hn::PromoteTo(d, value);
  } else if constexpr (std::same_as<From, f64>) {
    return hn::DemoteTo(d, value);
  } else if constexpr (std::same_as<To, f32>) {
    const hn::Rebind<i32, D> whole;
    return hn::ConvertTo(d, resize_lanes<decltype(whole), From>(whole, from, value));
  } else {
    // NaN gives 0, what is out of range the nearest integer.
    const hn::Rebind<i32, D> whole;
    constexpr bool is_i32 = std::same_as<To, i32>;
    constexpr f32 low = f32(std::numeric_limits<To>::lowest());
    constexpr f32 high = is_i32 ? 2147483520.0f : f32(std::numeric_limits<To>::max());
    const auto number = hn::IfThenElseZero(hn::Eq(value, value), value);
    auto result = hn::ConvertTo(whole, hn::Min(hn::Max(number, hn::Set(from, low)), hn::Set(from, high)));
    if constexpr (is_i32)
      result = hn::IfThenElse(hn::RebindMask(whole, hn::Gt(number, hn::Set(from, high))),
                              hn::Set(whole, std::numeric_limits<i32>::max()), result);
    return resize_lanes<D, i32>(d, whole, result);
  }
}

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
