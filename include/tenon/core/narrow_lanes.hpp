// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/integer_lanes.hpp>
#include <tenon/core/lanes.hpp>

#include <cstdint>

namespace tenon::core::inline HWY_NAMESPACE {

// Floats of at most 16 bits whose bit patterns can be turned into lanes of f32 and back: all but f8E8M0FNU.
template <class T>
constexpr bool is_narrow_lane() {
  if constexpr (is_float(dtype_of<T>) && num_bits(dtype_of<T>) <= 16)
    return format_of(dtype_of<T>).specials != float_specials::power_of_two;
  else
    return false;
}

// Like core::decode: the low bits of every lane as a float.
template <dtype Type, class D, class U = hn::RebindToUnsigned<D>>
HWY_INLINE hn::Vec<D> decode_lanes(D d, hn::Vec<U> bits) {
  constexpr float_format format = format_of(Type);
  const U u;
  if constexpr (Type == dtype::bf16) {
    return hn::BitCast(d, hn::ShiftLeft<16>(bits));
  } else {
    constexpr auto sign_bit = std::uint32_t(format.sign());
    constexpr int added = 23 - format.mantissa_bits;
    const auto magnitude = hn::And(bits, hn::Set(u, sign_bit - 1));
    const auto sign =
        hn::ShiftLeft<31 - format.exponent_bits - format.mantissa_bits>(hn::And(bits, hn::Set(u, sign_bit)));
    constexpr f32 unit = bit_cast<f32>(std::uint32_t(128 - format.bias - format.mantissa_bits) << 23);
    const auto lesser =
        hn::BitCast(u, hn::Mul(hn::ConvertTo(d, hn::BitCast(hn::RebindToSigned<D>(), magnitude)), hn::Set(d, unit)));
    const auto shifted = hn::ShiftLeft<added>(magnitude);
    const auto large = hn::Add(shifted, hn::Set(u, std::uint32_t(127 - format.bias) << 23));
    auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(u, 1u << format.mantissa_bits)), lesser, large);
    const auto nan = hn::Set(u, 0x7FC00000u);
    if constexpr (format.specials == float_specials::ieee)
      result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(u, std::uint32_t(format.max()))),
                              hn::Or(shifted, hn::Set(u, 0x7F800000u)), result);
    else if constexpr (format.specials == float_specials::nan_all_ones)
      result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(u, std::uint32_t(format.max()))), nan, result);
    else if constexpr (format.specials == float_specials::nan_for_minus_zero)
      result = hn::IfThenElse(hn::Eq(bits, hn::Set(u, sign_bit)), nan, result);
    return hn::BitCast(d, hn::Or(result, sign));
  }
}

// Every lane rounded to bf16, whose bit pattern is the upper half of each; the lower half may be anything.
template <class D, class U = hn::RebindToUnsigned<D>>
HWY_INLINE hn::Vec<U> round_to_bf16(D, hn::Vec<D> value) {
  const U u;
  const auto bits = hn::BitCast(u, value);
  const auto nan = hn::Or(hn::And(bits, hn::Set(u, 0x80000000u)), hn::Set(u, 0x7FC00000u));
  const auto below_half = hn::Add(bits, hn::Set(u, 0x7FFFu));
#if HWY_TARGET <= HWY_AVX3
  const auto is_odd = hn::TestBit(bits, hn::Set(u, 0x10000u));
  const auto rounded = hn::IfThenElse(is_odd, hn::Add(below_half, hn::Set(u, 1)), below_half);
#else
  const auto rounded = hn::Add(below_half, hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1)));
#endif
  return hn::IfThenElse(hn::RebindMask(u, hn::Eq(value, value)), rounded, nan);
}

// Like core::encode: every lane rounded to nearest, ties to even, as a bit pattern.
template <dtype Type, class D, class U = hn::RebindToUnsigned<D>>
HWY_INLINE hn::Vec<U> encode_lanes(D, hn::Vec<D> value) {
  constexpr float_format format = format_of(Type);
  const U u;
  const D d;
  const auto bits = hn::BitCast(u, value);
  if constexpr (Type == dtype::bf16) {
    return hn::ShiftRight<16>(round_to_bf16(d, value));
  } else {
    const auto magnitude = hn::And(bits, hn::Set(u, 0x7FFFFFFFu));
    const auto is_nan = hn::Gt(magnitude, hn::Set(u, 0x7F800000u));
    const auto is_negative = hn::Ne(bits, magnitude);
    const auto nan = hn::IfThenElse(is_negative, hn::Set(u, std::uint32_t(format.nan(true))),
                                    hn::Set(u, std::uint32_t(format.nan(false))));
    constexpr int dropped = 23 - format.mantissa_bits;
    constexpr std::uint32_t rebias = std::uint32_t(127 - format.bias) << 23;
    const auto align = hn::Set(u, std::uint32_t(151 - format.bias - format.mantissa_bits) << 23);
    const auto lesser = hn::Sub(hn::BitCast(u, hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, align))), align);
    const auto odd = hn::And(hn::ShiftRight<dropped>(magnitude), hn::Set(u, 1));
    const auto large =
        hn::ShiftRight<dropped>(hn::Add(hn::Add(magnitude, hn::Set(u, ((1u << (dropped - 1)) - 1) - rebias)), odd));
    const auto rounded = hn::IfThenElse(hn::Lt(magnitude, hn::Set(u, rebias + 0x800000u)), lesser, large);
    const auto result = hn::IfThenElse(hn::Gt(rounded, hn::Set(u, std::uint32_t(format.max()))),
                                       hn::Set(u, std::uint32_t(format.overflow(false))), rounded);
    auto has_sign = is_negative;
    if constexpr (format.specials == float_specials::nan_for_minus_zero)
      has_sign = hn::And(has_sign, hn::Ne(result, hn::Zero(u)));
    const auto signed_result = hn::Or(result, hn::IfThenElseZero(has_sign, hn::Set(u, std::uint32_t(format.sign()))));
    return hn::IfThenElse(is_nan, nan, signed_result);
  }
}

// Every lane as a narrow float would hold it.
template <dtype Type, class D>
HWY_INLINE hn::Vec<D> rounded_to(D d, hn::Vec<D> value) {
  return decode_lanes<Type>(d, encode_lanes<Type>(d, value));
}

// Elements of T as lanes of D, which are of T or, for narrow floats, of f32.
template <class T, class D>
HWY_INLINE hn::Vec<D> load_elements(D d, const T* from, std::size_t count, std::size_t lanes) {
  if constexpr (is_narrow_lane<T>()) {
    using storage = typename T::storage_type;
    const hn::Rebind<storage, D> narrow;
    const storage* const bits = reinterpret_cast<const storage*>(from);
    const auto loaded = count == lanes ? hn::LoadU(narrow, bits) : load_first(narrow, bits, count);
    return decode_lanes<dtype_of<T>>(d, hn::PromoteTo(hn::RebindToUnsigned<D>(), loaded));
  } else {
    return count == lanes ? hn::LoadU(d, from) : load_first(d, from, count);
  }
}
template <class T, class D>
HWY_INLINE void store_elements(hn::Vec<D> value, D d, T* to, std::size_t count, std::size_t lanes) {
  if constexpr (is_narrow_lane<T>()) {
    using storage = typename T::storage_type;
    const hn::Rebind<storage, D> narrow;
    storage* const bits = reinterpret_cast<storage*>(to);
    const auto encoded = truncate_lanes<decltype(narrow), std::uint32_t>(encode_lanes<dtype_of<T>>(d, value));
    if (count == lanes)
      hn::StoreU(encoded, narrow, bits);
    else
      store_first(encoded, narrow, bits, count);
  } else {
    if (count == lanes)
      hn::StoreU(value, d, to);
    else
      store_first(value, d, to, count);
  }
}

}  // namespace tenon::core::inline HWY_NAMESPACE
