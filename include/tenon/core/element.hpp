// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/dtype.hpp>
#include <tenon/core/float_arithmetic.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

// The C++ type of every StableHLO element type, their limits, and the conversions between them.
// https://openxla.org/stablehlo/spec#types, https://openxla.org/stablehlo/spec#convert
namespace tenon {

using i1 = bool;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using ui8 = std::uint8_t;
using ui16 = std::uint16_t;
using ui32 = std::uint32_t;
using ui64 = std::uint64_t;
using f32 = float;
using f64 = double;

// What the bit patterns outside the finite numbers mean, and what a number too large becomes.
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
  // What a number of that sign too large for the format becomes.
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

constexpr float_format format_of(dtype type) {
  switch (type) {
    case dtype::f4E2M1FN:
      return {2, 1, 1, float_specials::none};
    case dtype::f6E2M3FN:
      return {2, 3, 1, float_specials::none};
    case dtype::f6E3M2FN:
      return {3, 2, 3, float_specials::none};
    case dtype::f8E3M4:
      return {3, 4, 3, float_specials::ieee};
    case dtype::f8E4M3:
      return {4, 3, 7, float_specials::ieee};
    case dtype::f8E4M3FN:
      return {4, 3, 7, float_specials::nan_all_ones};
    case dtype::f8E4M3FNUZ:
      return {4, 3, 8, float_specials::nan_for_minus_zero};
    case dtype::f8E4M3B11FNUZ:
      return {4, 3, 11, float_specials::nan_for_minus_zero};
    case dtype::f8E5M2:
      return {5, 2, 15, float_specials::ieee};
    case dtype::f8E5M2FNUZ:
      return {5, 2, 16, float_specials::nan_for_minus_zero};
    case dtype::f8E8M0FNU:
      return {8, 0, 127, float_specials::power_of_two};
    case dtype::bf16:
      return {8, 7, 127, float_specials::ieee};
    case dtype::f16:
      return {5, 10, 15, float_specials::ieee};
    case dtype::f32:
      return {8, 23, 127, float_specials::ieee};
    case dtype::f64:
      return {11, 52, 1023, float_specials::ieee};
    default:
      return {};
  }
}

namespace detail {

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
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
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
    const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<f32>(magnitude) + std::bit_cast<f32>(align)) - align;
    const std::uint32_t odd = (magnitude >> dropped) & 1;
    const std::uint32_t large = (magnitude - rebias + ((1u << (dropped - 1)) - 1) + odd) >> dropped;
    const std::uint32_t rounded = magnitude < rebias + 0x800000u ? small : large;
    constexpr auto max = std::uint32_t(format.max());
    const std::uint32_t result = rounded > max ? std::uint32_t(format.overflow(false)) : rounded;
    return format.with_sign(result, negative);
  }
}

template <dtype Type>
constexpr std::uint64_t encode(f64 value) {
  constexpr float_format format = format_of(Type);
  const auto bits = std::bit_cast<std::uint64_t>(value);
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
    return std::bit_cast<f32>(bits << 16);
  } else if constexpr (format.specials == float_specials::power_of_two) {
    if (bits == 0xFF) return std::bit_cast<f32>(0x7FC00000u);
    return std::bit_cast<f32>(bits == 0 ? 0x400000u : bits << 23);
  } else {
    constexpr auto sign_bit = std::uint32_t(format.sign());
    constexpr int added = 23 - format.mantissa_bits;
    const std::uint32_t magnitude = bits & (sign_bit - 1);
    const std::uint32_t sign = (bits & sign_bit) << (31 - format.exponent_bits - format.mantissa_bits);
    constexpr f32 unit = std::bit_cast<f32>(std::uint32_t(128 - format.bias - format.mantissa_bits) << 23);
    const auto small = std::bit_cast<std::uint32_t>(f32(std::int32_t(magnitude)) * unit);
    const std::uint32_t large = (magnitude << added) + (std::uint32_t(127 - format.bias) << 23);
    std::uint32_t result = (magnitude >> format.mantissa_bits) == 0 ? small : large;
    if constexpr (format.specials == float_specials::ieee) {
      if (magnitude > format.max()) result = (magnitude << added) | 0x7F800000u;
    } else if constexpr (format.specials == float_specials::nan_all_ones) {
      if (magnitude > format.max()) result = 0x7FC00000u;
    } else if constexpr (format.specials == float_specials::nan_for_minus_zero) {
      if (bits == sign_bit) result = 0x7FC00000u;
    }
    return std::bit_cast<f32>(result | sign);
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
  if constexpr (std::same_as<Integer, bool>)
    return true;
  else if constexpr (std::is_signed_v<Integer>)
    return Integer(std::make_unsigned_t<Integer>(~std::make_unsigned_t<Integer>{}) >> 1);
  else
    return Integer(~Integer{});
}

template <std::integral Integer>
constexpr Integer lowest_integer() {
  if constexpr (std::is_signed_v<Integer>)
    return Integer(-highest_integer<Integer>() - 1);
  else
    return Integer{};
}

}  // namespace detail

// StableHLO convert of one element, for every pair of element types. Rounds once, to nearest even; a float becomes an
// integer by dropping its fraction, the nearest integer there is when it is out of range, 0 when it is NaN; integers
// wrap around; anything but zero is `true`; the imaginary part of a complex number is dropped or zero.
template <class To, class From>
constexpr To convert_to(From value);

template <class Self, dtype Type>
struct small_integer;

// A float of at most 16 bits, kept as its bit pattern. Arithmetic is that of f32, rounded.
template <class Self, dtype Type>
struct small_float {
  static constexpr dtype element_dtype = Type;
  using storage_type = std::conditional_t<(num_bits(Type) > 8), std::uint16_t, std::uint8_t>;

  storage_type bits;

  small_float() = default;
  template <detail::arithmetic T>
  explicit constexpr small_float(T value) : bits(storage_type(detail::encode<Type>(value))) {}
  template <class Other, dtype OtherType>
  requires(OtherType != Type) explicit constexpr small_float(small_float<Other, OtherType> value)
      : small_float(f32(value)) {}
  template <class Other, dtype OtherType>
  explicit constexpr small_float(small_integer<Other, OtherType> value) : small_float(value.value) {}

  // The low num_bits(Type) bits.
  static constexpr Self from_bits(std::uint64_t bits) {
    Self result{};
    result.bits = storage_type(bits & ((std::uint64_t{1} << num_bits(Type)) - 1));
    return result;
  }

  template <detail::arithmetic T>
  explicit constexpr operator T() const {
    return convert_to<T>(detail::decode<Type>(bits));
  }

  friend constexpr Self operator+(Self a) { return a; }
  friend constexpr Self operator-(Self a) {
    constexpr float_format format = format_of(Type);
    if constexpr (format.specials == float_specials::power_of_two) return from_bits(format.nan(false));
    if (format.specials == float_specials::nan_for_minus_zero && (a.bits & (format.sign() - 1)) == 0) return a;
    return from_bits(a.bits ^ format.sign());
  }
  friend constexpr Self operator+(Self a, Self b) { return Self(float_add(f32(a), f32(b))); }
  friend constexpr Self operator-(Self a, Self b) { return Self(float_subtract(f32(a), f32(b))); }
  friend constexpr Self operator*(Self a, Self b) { return Self(float_multiply(f32(a), f32(b))); }
  friend constexpr Self operator/(Self a, Self b) { return Self(float_divide(f32(a), f32(b))); }
  friend constexpr Self& operator+=(Self& a, Self b) { return a = a + b; }
  friend constexpr Self& operator-=(Self& a, Self b) { return a = a - b; }
  friend constexpr Self& operator*=(Self& a, Self b) { return a = a * b; }
  friend constexpr Self& operator/=(Self& a, Self b) { return a = a / b; }

  friend constexpr bool operator==(Self a, Self b) { return f32(a) == f32(b); }
  friend constexpr bool operator<(Self a, Self b) { return f32(a) < f32(b); }
  friend constexpr bool operator<=(Self a, Self b) { return f32(a) <= f32(b); }
  friend constexpr bool operator>(Self a, Self b) { return f32(a) > f32(b); }
  friend constexpr bool operator>=(Self a, Self b) { return f32(a) >= f32(b); }
};

struct f4E2M1FN : small_float<f4E2M1FN, dtype::f4E2M1FN> {
  using small_float::small_float;
};
struct f6E2M3FN : small_float<f6E2M3FN, dtype::f6E2M3FN> {
  using small_float::small_float;
};
struct f6E3M2FN : small_float<f6E3M2FN, dtype::f6E3M2FN> {
  using small_float::small_float;
};
struct f8E3M4 : small_float<f8E3M4, dtype::f8E3M4> {
  using small_float::small_float;
};
struct f8E4M3 : small_float<f8E4M3, dtype::f8E4M3> {
  using small_float::small_float;
};
struct f8E4M3FN : small_float<f8E4M3FN, dtype::f8E4M3FN> {
  using small_float::small_float;
};
struct f8E4M3FNUZ : small_float<f8E4M3FNUZ, dtype::f8E4M3FNUZ> {
  using small_float::small_float;
};
struct f8E4M3B11FNUZ : small_float<f8E4M3B11FNUZ, dtype::f8E4M3B11FNUZ> {
  using small_float::small_float;
};
struct f8E5M2 : small_float<f8E5M2, dtype::f8E5M2> {
  using small_float::small_float;
};
struct f8E5M2FNUZ : small_float<f8E5M2FNUZ, dtype::f8E5M2FNUZ> {
  using small_float::small_float;
};
struct f8E8M0FNU : small_float<f8E8M0FNU, dtype::f8E8M0FNU> {
  using small_float::small_float;
};
struct bf16 : small_float<bf16, dtype::bf16> {
  using small_float::small_float;
};
struct f16 : small_float<f16, dtype::f16> {
  using small_float::small_float;
};

// An integer of 2 or 4 bits in a byte of its own. Arithmetic wraps around.
template <class Self, dtype Type>
struct small_integer {
  static constexpr dtype element_dtype = Type;
  using storage_type = std::conditional_t<is_signed_integer(Type), std::int8_t, std::uint8_t>;

  // Between lowest and highest.
  storage_type value;

  static constexpr storage_type highest = storage_type((1 << (num_bits(Type) - (is_signed_integer(Type) ? 1 : 0))) - 1);
  static constexpr storage_type lowest = storage_type(is_signed_integer(Type) ? -highest - 1 : 0);

  small_integer() = default;
  template <std::integral T>
  explicit constexpr small_integer(T number) : value(wrapped(std::uint64_t(number))) {}
  template <std::floating_point T>
  explicit constexpr small_integer(T number) : value(detail::truncate(number, lowest, highest)) {}
  template <class Other, dtype OtherType>
  requires(OtherType != Type) explicit constexpr small_integer(small_integer<Other, OtherType> number)
      : small_integer(number.value) {}
  template <class Other, dtype OtherType>
  explicit constexpr small_integer(small_float<Other, OtherType> number) : small_integer(f32(number)) {}

  // The low num_bits(Type) bits, in two's complement.
  static constexpr Self from_bits(std::uint64_t bits) { return Self(bits); }

  template <detail::arithmetic T>
  explicit constexpr operator T() const {
    return T(value);
  }

  friend constexpr Self operator+(Self a) { return a; }
  friend constexpr Self operator-(Self a) { return Self(-a.value); }
  friend constexpr Self operator~(Self a) { return Self(~a.value); }
  friend constexpr Self operator+(Self a, Self b) { return Self(a.value + b.value); }
  friend constexpr Self operator-(Self a, Self b) { return Self(a.value - b.value); }
  friend constexpr Self operator*(Self a, Self b) { return Self(a.value * b.value); }
  friend constexpr Self operator&(Self a, Self b) { return Self(a.value & b.value); }
  friend constexpr Self operator|(Self a, Self b) { return Self(a.value | b.value); }
  friend constexpr Self operator^(Self a, Self b) { return Self(a.value ^ b.value); }
  friend constexpr Self& operator+=(Self& a, Self b) { return a = a + b; }
  friend constexpr Self& operator-=(Self& a, Self b) { return a = a - b; }
  friend constexpr Self& operator*=(Self& a, Self b) { return a = a * b; }

  friend constexpr bool operator==(Self a, Self b) { return a.value == b.value; }
  friend constexpr bool operator<(Self a, Self b) { return a.value < b.value; }
  friend constexpr bool operator<=(Self a, Self b) { return a.value <= b.value; }
  friend constexpr bool operator>(Self a, Self b) { return a.value > b.value; }
  friend constexpr bool operator>=(Self a, Self b) { return a.value >= b.value; }

 private:
  static constexpr storage_type wrapped(std::uint64_t bits) {
    constexpr int modulus = 1 << num_bits(Type);
    const int low = int(bits % modulus);
    return storage_type(low > highest ? low - modulus : low);
  }
};

struct i2 : small_integer<i2, dtype::i2> {
  using small_integer::small_integer;
};
struct i4 : small_integer<i4, dtype::i4> {
  using small_integer::small_integer;
};
struct ui2 : small_integer<ui2, dtype::ui2> {
  using small_integer::small_integer;
};
struct ui4 : small_integer<ui4, dtype::ui4> {
  using small_integer::small_integer;
};

namespace detail {

template <class T>
constexpr dtype find_dtype() {
  if constexpr (requires { T::element_dtype; }) {
    return T::element_dtype;
  } else if constexpr (std::same_as<T, bool>) {
    return dtype::i1;
  } else if constexpr (std::same_as<T, f32>) {
    return dtype::f32;
  } else if constexpr (std::same_as<T, f64>) {
    return dtype::f64;
  } else if constexpr (std::same_as<T, complex<f32>>) {
    return dtype::complex_f32;
  } else if constexpr (std::same_as<T, complex<f64>>) {
    return dtype::complex_f64;
  } else if constexpr (std::signed_integral<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t>) {
    switch (sizeof(T)) {
      case 1:
        return dtype::i8;
      case 2:
        return dtype::i16;
      case 4:
        return dtype::i32;
      default:
        return dtype::i64;
    }
  } else if constexpr (std::unsigned_integral<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                       !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>) {
    switch (sizeof(T)) {
      case 1:
        return dtype::ui8;
      case 2:
        return dtype::ui16;
      case 4:
        return dtype::ui32;
      default:
        return dtype::ui64;
    }
  } else {
    return dtype::none;
  }
}

template <class T>
struct type_is {
  using type = T;
};

}  // namespace detail

// `none` for types that are no element types. All of C++'s integers of 32 bits are i32, and so on.
template <class T>
inline constexpr dtype dtype_of = detail::find_dtype<std::remove_cv_t<T>>();

template <class T>
concept element_like = dtype_of<T>
!= dtype::none;

template <dtype Type>
struct element_of {};
template <>
struct element_of<dtype::i1> : detail::type_is<i1> {};
template <>
struct element_of<dtype::i2> : detail::type_is<i2> {};
template <>
struct element_of<dtype::i4> : detail::type_is<i4> {};
template <>
struct element_of<dtype::i8> : detail::type_is<i8> {};
template <>
struct element_of<dtype::i16> : detail::type_is<i16> {};
template <>
struct element_of<dtype::i32> : detail::type_is<i32> {};
template <>
struct element_of<dtype::i64> : detail::type_is<i64> {};
template <>
struct element_of<dtype::ui2> : detail::type_is<ui2> {};
template <>
struct element_of<dtype::ui4> : detail::type_is<ui4> {};
template <>
struct element_of<dtype::ui8> : detail::type_is<ui8> {};
template <>
struct element_of<dtype::ui16> : detail::type_is<ui16> {};
template <>
struct element_of<dtype::ui32> : detail::type_is<ui32> {};
template <>
struct element_of<dtype::ui64> : detail::type_is<ui64> {};
template <>
struct element_of<dtype::f4E2M1FN> : detail::type_is<f4E2M1FN> {};
template <>
struct element_of<dtype::f6E2M3FN> : detail::type_is<f6E2M3FN> {};
template <>
struct element_of<dtype::f6E3M2FN> : detail::type_is<f6E3M2FN> {};
template <>
struct element_of<dtype::f8E3M4> : detail::type_is<f8E3M4> {};
template <>
struct element_of<dtype::f8E4M3> : detail::type_is<f8E4M3> {};
template <>
struct element_of<dtype::f8E4M3FN> : detail::type_is<f8E4M3FN> {};
template <>
struct element_of<dtype::f8E4M3FNUZ> : detail::type_is<f8E4M3FNUZ> {};
template <>
struct element_of<dtype::f8E4M3B11FNUZ> : detail::type_is<f8E4M3B11FNUZ> {};
template <>
struct element_of<dtype::f8E5M2> : detail::type_is<f8E5M2> {};
template <>
struct element_of<dtype::f8E5M2FNUZ> : detail::type_is<f8E5M2FNUZ> {};
template <>
struct element_of<dtype::f8E8M0FNU> : detail::type_is<f8E8M0FNU> {};
template <>
struct element_of<dtype::bf16> : detail::type_is<bf16> {};
template <>
struct element_of<dtype::f16> : detail::type_is<f16> {};
template <>
struct element_of<dtype::f32> : detail::type_is<f32> {};
template <>
struct element_of<dtype::f64> : detail::type_is<f64> {};
template <>
struct element_of<dtype::complex_f32> : detail::type_is<complex<f32>> {};
template <>
struct element_of<dtype::complex_f64> : detail::type_is<complex<f64>> {};

template <dtype Type>
using element_t = typename element_of<Type>::type;

// What arithmetic on T is carried out in: f32 for narrower floats, a byte for narrower integers, else T itself.
template <class T>
using compute_t =
    std::conditional_t<is_float(dtype_of<T>) && num_bits(dtype_of<T>) < 32, f32,
                       std::conditional_t<is_integer(dtype_of<T>) && num_bits(dtype_of<T>) < 8,
                                          std::conditional_t<is_signed_integer(dtype_of<T>), i8, ui8>, T>>;

// The bit pattern, in the low num_bits bits.
template <element_like T>
requires(!is_complex(dtype_of<T>)) constexpr ui64 to_bits(T value) {
  if constexpr (requires { value.bits; })
    return value.bits;
  else if constexpr (requires { value.value; })
    return ui64(value.value) & ((ui64{1} << num_bits(dtype_of<T>)) - 1);
  else if constexpr (std::same_as<T, f32>)
    return std::bit_cast<ui32>(value);
  else if constexpr (std::same_as<T, f64>)
    return std::bit_cast<ui64>(value);
  else
    return ui64(std::make_unsigned_t<std::conditional_t<std::same_as<T, bool>, ui8, T>>(value));
}

// The element with that bit pattern; bits above num_bits are ignored.
template <element_like T>
requires(!is_complex(dtype_of<T>)) constexpr T from_bits(ui64 bits) {
  if constexpr (std::same_as<T, f32>)
    return std::bit_cast<f32>(ui32(bits));
  else if constexpr (std::same_as<T, f64>)
    return std::bit_cast<f64>(bits);
  else if constexpr (std::same_as<T, bool>)
    return (bits & 1) != 0;
  else if constexpr (std::integral<T>)
    return T(bits);
  else
    return T::from_bits(bits);
}

// Limits and layout of an element type that is not complex.
template <element_like T>
struct element_traits {
  static constexpr dtype type = dtype_of<T>;
  static constexpr int bits = num_bits(type);
  static constexpr bool is_floating = is_float(type);
  static constexpr bool is_signed =
      is_signed_integer(type) || (is_floating && format_of(type).specials != float_specials::power_of_two);
  // Of floats; 0 for others. The mantissa does not count the implicit bit.
  static constexpr int exponent_bits = is_floating ? format_of(type).exponent_bits : 0;
  static constexpr int mantissa_bits = is_floating ? format_of(type).mantissa_bits : 0;
  static constexpr int exponent_bias = is_floating ? format_of(type).bias : 0;
  static constexpr bool has_infinity = is_floating && format_of(type).has_infinity();
  static constexpr bool has_nan = is_floating && format_of(type).has_nan();

  // The largest finite value.
  static constexpr T max() {
    if constexpr (is_floating)
      return from_bits<T>(format_of(type).max());
    else if constexpr (std::integral<T>)
      return detail::highest_integer<T>();
    else
      return T(T::highest);
  }
  // The most negative finite value; for f8E8M0FNU, which has no sign, the smallest.
  static constexpr T lowest() {
    if constexpr (is_floating)
      return from_bits<T>(is_signed ? format_of(type).max() | format_of(type).sign() : 0);
    else if constexpr (std::integral<T>)
      return detail::lowest_integer<T>();
    else
      return T(T::lowest);
  }
  // Infinity where there is one, else max(); so that nothing is greater.
  static constexpr T greatest() {
    if constexpr (has_infinity)
      return infinity();
    else
      return max();
  }
  // Minus infinity where there is one, else lowest(); so that nothing is less.
  static constexpr T least() {
    if constexpr (has_infinity)
      return from_bits<T>(format_of(type).infinity() | format_of(type).sign());
    else
      return lowest();
  }
  static constexpr T infinity() requires has_infinity { return from_bits<T>(format_of(type).infinity()); }
  // Quiet.
  static constexpr T nan() requires has_nan { return from_bits<T>(format_of(type).nan(false)); }
  // The distance from 1 to the next larger value.
  static constexpr T epsilon() requires is_floating {
    if constexpr (mantissa_bits == 0)
      return T(f32{1});
    else if constexpr (exponent_bias > mantissa_bits)
      return from_bits<T>(ui64(exponent_bias - mantissa_bits) << mantissa_bits);
    else
      return from_bits<T>(ui64{1} << (exponent_bias - 1));
  }
  // The smallest positive value with a full mantissa.
  static constexpr T smallest_normal() requires is_floating {
    return from_bits<T>(mantissa_bits == 0 ? 0 : ui64{1} << mantissa_bits);
  }
  // The smallest positive value.
  static constexpr T smallest_positive() requires is_floating { return from_bits<T>(mantissa_bits == 0 ? 0 : 1); }
};

template <class To, class From>
constexpr To convert_to(From value) {
  constexpr dtype from = dtype_of<From>;
  constexpr dtype to = dtype_of<To>;
  static_assert(from != dtype::none && to != dtype::none, "tenon: not an element type");
  if constexpr (std::same_as<From, To>) {
    return value;
  } else if constexpr (is_complex(from) && is_complex(to)) {
    return {convert_to<element_t<real_type(to)>>(value.real), convert_to<element_t<real_type(to)>>(value.imag)};
  } else if constexpr (is_complex(from)) {
    return convert_to<To>(value.real);
  } else if constexpr (is_complex(to)) {
    return {convert_to<element_t<real_type(to)>>(value), 0};
  } else if constexpr (!std::is_arithmetic_v<From> && is_float(from)) {
    return convert_to<To>(detail::decode<from>(value.bits));
  } else if constexpr (!std::is_arithmetic_v<From>) {
    return convert_to<To>(value.value);
  } else if constexpr (!std::is_arithmetic_v<To>) {
    return To(value);
  } else if constexpr (std::same_as<To, bool>) {
    return value != From{};
  } else if constexpr (std::integral<To> && std::floating_point<From>) {
    return detail::truncate(value, detail::lowest_integer<To>(), detail::highest_integer<To>());
  } else {
    return static_cast<To>(value);
  }
}

// Calls visitor.template operator()<T>() with the element type that `type` stands for, of Types if they are given, else
// of all; nothing is called and a value-initialised result comes back when `type` is not among them.
//   visit(type, [&]<class T>() { ... });
//   visit<dtype::f32, dtype::f64>(type, [&]<class T>() { ... });
template <dtype First, dtype... Types, class Visitor>
constexpr auto visit(dtype type, Visitor&& visitor) {
  using result = decltype(visitor.template operator()<element_t<First>>());
  if (type == First) return visitor.template operator()<element_t<First>>();
  if constexpr (sizeof...(Types) > 0)
    return visit<Types...>(type, visitor);
  else
    return result();
}

template <class Visitor>
constexpr auto visit(dtype type, Visitor&& visitor) {
  using result = decltype(visitor.template operator()<f32>());
  switch (type) {
    case dtype::i1:
      return visitor.template operator()<i1>();
    case dtype::i2:
      return visitor.template operator()<i2>();
    case dtype::i4:
      return visitor.template operator()<i4>();
    case dtype::i8:
      return visitor.template operator()<i8>();
    case dtype::i16:
      return visitor.template operator()<i16>();
    case dtype::i32:
      return visitor.template operator()<i32>();
    case dtype::i64:
      return visitor.template operator()<i64>();
    case dtype::ui2:
      return visitor.template operator()<ui2>();
    case dtype::ui4:
      return visitor.template operator()<ui4>();
    case dtype::ui8:
      return visitor.template operator()<ui8>();
    case dtype::ui16:
      return visitor.template operator()<ui16>();
    case dtype::ui32:
      return visitor.template operator()<ui32>();
    case dtype::ui64:
      return visitor.template operator()<ui64>();
    case dtype::f4E2M1FN:
      return visitor.template operator()<f4E2M1FN>();
    case dtype::f6E2M3FN:
      return visitor.template operator()<f6E2M3FN>();
    case dtype::f6E3M2FN:
      return visitor.template operator()<f6E3M2FN>();
    case dtype::f8E3M4:
      return visitor.template operator()<f8E3M4>();
    case dtype::f8E4M3:
      return visitor.template operator()<f8E4M3>();
    case dtype::f8E4M3FN:
      return visitor.template operator()<f8E4M3FN>();
    case dtype::f8E4M3FNUZ:
      return visitor.template operator()<f8E4M3FNUZ>();
    case dtype::f8E4M3B11FNUZ:
      return visitor.template operator()<f8E4M3B11FNUZ>();
    case dtype::f8E5M2:
      return visitor.template operator()<f8E5M2>();
    case dtype::f8E5M2FNUZ:
      return visitor.template operator()<f8E5M2FNUZ>();
    case dtype::f8E8M0FNU:
      return visitor.template operator()<f8E8M0FNU>();
    case dtype::bf16:
      return visitor.template operator()<bf16>();
    case dtype::f16:
      return visitor.template operator()<f16>();
    case dtype::f32:
      return visitor.template operator()<f32>();
    case dtype::f64:
      return visitor.template operator()<f64>();
    case dtype::complex_f32:
      return visitor.template operator()<complex<f32>>();
    case dtype::complex_f64:
      return visitor.template operator()<complex<f64>>();
    default:
      return result();
  }
}

}  // namespace tenon
