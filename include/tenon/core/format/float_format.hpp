// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/dtype.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

// The formats of floats, and how a number is rounded to one.
// https://openxla.org/stablehlo/spec#types
namespace tenon::core {

// The meaning of the bit patterns outside the finite numbers, and the result of an overflow.
enum class float_specials : std::uint8_t {
  ieee,                // infinities and NaN in the last exponent; overflow to infinity
  nan_all_ones,        // NaN is all ones, no infinity; overflow to NaN ("FN")
  nan_for_minus_zero,  // NaN takes the place of minus zero, no infinity; overflow to NaN ("FNUZ")
  none,                // finite numbers only; overflow to the largest (the 4 and 6 bit "FN")
  power_of_two         // no sign, no zero, NaN is all ones; overflow, zero and negative numbers to NaN ("FNU")
};

struct float_format {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  float_specials specials = float_specials::ieee;

  constexpr std::uint64_t sign() const {
    return specials == float_specials::power_of_two ? 0 : std::uint64_t{1} << (exponent_bits + mantissa_bits);
  }
  // Bits of the largest finite number.
  constexpr std::uint64_t max() const {
    const std::uint64_t ones = (std::uint64_t{1} << (exponent_bits + mantissa_bits)) - 1;
    switch (specials) {
      case float_specials::ieee:
        return ones - (std::uint64_t{1} << mantissa_bits);
      case float_specials::nan_all_ones:
      case float_specials::power_of_two:
        return ones - 1;
      default:
        return ones;
    }
  }
  constexpr bool has_infinity() const { return specials == float_specials::ieee; }
  constexpr bool has_nan() const { return specials != float_specials::none; }
  constexpr std::uint64_t infinity() const { return max() + 1; }
  // NaN of the given sign; in formats without NaN the zero of the opposite sign, as XLA converts it.
  constexpr std::uint64_t nan(bool negative) const {
    switch (specials) {
      case float_specials::ieee:
        return infinity() | (std::uint64_t{1} << (mantissa_bits - 1)) | (negative ? sign() : 0);
      case float_specials::nan_all_ones:
        return (max() + 1) | (negative ? sign() : 0);
      case float_specials::nan_for_minus_zero:
        return sign();
      case float_specials::none:
        return negative ? 0 : sign();
      default:
        return max() + 1;
    }
  }
  // The bits of an overflow with that sign.
  constexpr std::uint64_t overflow(bool negative) const {
    switch (specials) {
      case float_specials::ieee:
        return infinity() | (negative ? sign() : 0);
      case float_specials::none:
        return max() | (negative ? sign() : 0);
      default:
        return nan(negative);
    }
  }
  constexpr std::uint64_t zero(bool negative) const {
    return specials == float_specials::power_of_two ? nan(negative) : with_sign(0, negative);
  }
  // A finite magnitude with its sign, if the format has that sign of it.
  constexpr std::uint64_t with_sign(std::uint64_t magnitude, bool negative) const {
    const bool unsigned_zero = specials == float_specials::nan_for_minus_zero && magnitude == 0;
    return negative && !unsigned_zero ? magnitude | sign() : magnitude;
  }
};

// From f4E2M1FN on, in the order of `dtype`.
inline constexpr float_format float_formats[] = {{2, 1, 1, float_specials::none},
                                                 {2, 3, 1, float_specials::none},
                                                 {3, 2, 3, float_specials::none},
                                                 {3, 4, 3, float_specials::ieee},
                                                 {4, 3, 7, float_specials::ieee},
                                                 {4, 3, 7, float_specials::nan_all_ones},
                                                 {4, 3, 8, float_specials::nan_for_minus_zero},
                                                 {4, 3, 11, float_specials::nan_for_minus_zero},
                                                 {5, 2, 15, float_specials::ieee},
                                                 {5, 2, 16, float_specials::nan_for_minus_zero},
                                                 {8, 0, 127, float_specials::power_of_two},
                                                 {8, 7, 127, float_specials::ieee},
                                                 {5, 10, 15, float_specials::ieee},
                                                 {},  // tf32
                                                 {8, 23, 127, float_specials::ieee},
                                                 {11, 52, 1023, float_specials::ieee}};
constexpr float_format format_of(dtype type) {
  return is_float(type) ? float_formats[int(type) - int(dtype::f4E2M1FN)] : float_format{};
}

// A C++ arithmetic type that is an element type or converts like one.
template <class T>
concept arithmetic = std::integral<T> || std::same_as<T, f32> || std::same_as<T, f64>;

inline constexpr std::uint64_t too_large = ~std::uint64_t{0};

// The bits of significand * 2^exponent, which is not zero, rounded to nearest, ties to even; or `too_large`. Bit 0 of
// the significand may stand for any number of lost bits that are not all zero if the significand has at least two bits
// more than the format. |exponent| stays below 2^30.
template <dtype Type>
constexpr std::uint64_t round_magnitude(std::uint64_t significand, int exponent) {
  constexpr float_format format = format_of(Type);
  const int lead = std::countl_zero(significand);
  const int top = 63 - lead + exponent;
  if constexpr (format.specials == float_specials::power_of_two) {
    // One significant bit: halves go up, what is too small becomes the smallest.
    const int rounded = top + (lead < 63 && ((significand << lead) >> 62) == 3 ? 1 : 0);
    if (rounded > format.bias) return too_large;
    return rounded < -format.bias ? 0 : std::uint64_t(rounded + format.bias);
  } else {
    constexpr int smallest = 1 - format.bias;
    if (top > (1 << format.exponent_bits) - format.bias) return too_large;
    const int binade = top < smallest ? smallest : top;
    const int dropped = binade - format.mantissa_bits - exponent;
    std::uint64_t kept = 0;
    if (dropped <= 0) {
      kept = significand << -dropped;
    } else if (dropped <= 64) {
      kept = dropped == 64 ? 0 : significand >> dropped;
      const std::uint64_t rest = significand << (64 - dropped);
      constexpr std::uint64_t half = std::uint64_t{1} << 63;
      if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    }
    // `kept` carries the implicit bit into the exponent field, also when rounding went up to the next binade.
    const std::uint64_t magnitude = (std::uint64_t(binade - smallest) << format.mantissa_bits) + kept;
    return magnitude > format.max() ? too_large : magnitude;
  }
}

// The bits of significand * 2^exponent of that sign.
template <dtype Type>
constexpr std::uint64_t encode_rounded(bool negative, std::uint64_t significand, int exponent) {
  constexpr float_format format = format_of(Type);
  if (significand == 0) return format.zero(negative);
  if (format.specials == float_specials::power_of_two && negative) return format.nan(negative);
  const std::uint64_t magnitude = round_magnitude<Type>(significand, exponent);
  return magnitude == too_large ? format.overflow(negative) : format.with_sign(magnitude, negative);
}

template <dtype Type>
constexpr std::uint64_t encode(f32 value) {
  constexpr float_format format = format_of(Type);
  const std::uint32_t bits = bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  const bool negative = (bits >> 31) != 0;
  if (magnitude > 0x7F800000u) return format.nan(negative);
  if constexpr (Type == dtype::bf16) {
    return (bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16;
  } else if constexpr (format.specials == float_specials::power_of_two) {
    if (magnitude == 0x7F800000u) return format.nan(negative);
    const int field = int(magnitude >> 23);
    return field == 0 ? encode_rounded<Type>(negative, magnitude, -149)
                      : encode_rounded<Type>(negative, (magnitude & 0x7FFFFFu) | 0x800000u, field - 150);
  } else {
    // A number below the smallest normal is rounded by an addition that aligns its last bit with that of an f32.
    constexpr int dropped = 23 - format.mantissa_bits;
    constexpr std::uint32_t rebias = std::uint32_t(127 - format.bias) << 23;
    constexpr std::uint32_t align = std::uint32_t(151 - format.bias - format.mantissa_bits) << 23;
    const auto lesser = bit_cast<std::uint32_t>(bit_cast<f32>(magnitude) + bit_cast<f32>(align)) - align;
    const std::uint32_t odd = (magnitude >> dropped) & 1;
    const std::uint32_t large = (magnitude - rebias + ((1u << (dropped - 1)) - 1) + odd) >> dropped;
    const std::uint32_t rounded = magnitude < rebias + 0x800000u ? lesser : large;
    constexpr auto max = std::uint32_t(format.max());
    const std::uint32_t result = rounded > max ? std::uint32_t(format.overflow(false)) : rounded;
    return format.with_sign(result, negative);
  }
}

template <dtype Type>
constexpr std::uint64_t encode(f64 value) {
  constexpr float_format format = format_of(Type);
  const auto bits = bit_cast<std::uint64_t>(value);
  const bool negative = (bits >> 63) != 0;
  const int field = int((bits >> 52) & 0x7FF);
  const std::uint64_t mantissa = bits & 0xFFFFFFFFFFFFFu;
  if (field == 0x7FF) return mantissa != 0 ? format.nan(negative) : format.overflow(negative);
  return field == 0 ? encode_rounded<Type>(negative, mantissa, -1074)
                    : encode_rounded<Type>(negative, mantissa | 0x10000000000000u, field - 1075);
}

template <dtype Type, std::integral T>
constexpr std::uint64_t encode(T value) {
  if constexpr (sizeof(T) < 4) {
    return encode<Type>(f32(value));
  } else {
    const bool negative = value < T{};
    const auto magnitude = std::uint64_t(value);
    return encode_rounded<Type>(negative, negative ? 0 - magnitude : magnitude, 0);
  }
}

// Every format of at most 16 bits is a subset of f32.
template <dtype Type>
constexpr f32 decode(std::uint32_t bits) {
  constexpr float_format format = format_of(Type);
  if constexpr (Type == dtype::bf16) {
    return bit_cast<f32>(bits << 16);
  } else if constexpr (format.specials == float_specials::power_of_two) {
    if (bits == 0xFF) return bit_cast<f32>(0x7FC00000u);
    return bit_cast<f32>(bits == 0 ? 0x400000u : bits << 23);
  } else {
    constexpr auto sign_bit = std::uint32_t(format.sign());
    constexpr int added = 23 - format.mantissa_bits;
    const std::uint32_t magnitude = bits & (sign_bit - 1);
    const std::uint32_t sign = (bits & sign_bit) << (31 - format.exponent_bits - format.mantissa_bits);
    constexpr f32 unit = bit_cast<f32>(std::uint32_t(128 - format.bias - format.mantissa_bits) << 23);
    const auto lesser = bit_cast<std::uint32_t>(f32(std::int32_t(magnitude)) * unit);
    const std::uint32_t large = (magnitude << added) + (std::uint32_t(127 - format.bias) << 23);
    std::uint32_t result = (magnitude >> format.mantissa_bits) == 0 ? lesser : large;
    if constexpr (format.specials == float_specials::ieee) {
      if (magnitude > format.max()) result = (magnitude << added) | 0x7F800000u;
    } else if constexpr (format.specials == float_specials::nan_all_ones) {
      if (magnitude > format.max()) result = 0x7FC00000u;
    } else if constexpr (format.specials == float_specials::nan_for_minus_zero) {
      if (bits == sign_bit) result = 0x7FC00000u;
    }
    return bit_cast<f32>(result | sign);
  }
}

// The integer in [lowest, highest] nearest to `value` without its fraction; 0 for NaN. Both limits, or their neighbours
// outside, are powers of two.
template <std::integral Integer, std::floating_point Float>
constexpr Integer truncate(Float value, Integer lowest, Integer highest) {
  if (value != value) return Integer{};
  if (value <= Float(lowest)) return lowest;
  const Float limit = Float(highest / 2 + 1) * 2;
  return value >= limit ? highest : Integer(value);
}

template <std::integral Integer>
constexpr Integer highest_integer() {
  return std::numeric_limits<Integer>::max();
}
template <std::integral Integer>
constexpr Integer lowest_integer() {
  return std::numeric_limits<Integer>::min();
}

}  // namespace tenon::core
