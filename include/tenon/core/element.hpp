// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/complex.hpp>
#include <tenon/core/dtype.hpp>
#include <tenon/core/format/float_arithmetic.hpp>
#include <tenon/core/format/float_format.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

// The C++ type of every StableHLO element type, their limits, and the conversions between them.
// https://openxla.org/stablehlo/spec#types, https://openxla.org/stablehlo/spec#convert
namespace tenon {

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
  template <core::arithmetic T>
  explicit constexpr small_float(T value) : bits(storage_type(core::encode<Type>(value))) {}
  template <class Other, dtype OtherType>
    requires(OtherType != Type)
  explicit constexpr small_float(small_float<Other, OtherType> value) : small_float(f32(value)) {}
  template <class Other, dtype OtherType>
  explicit constexpr small_float(small_integer<Other, OtherType> value) : small_float(value.value) {}

  // The low num_bits(Type) bits.
  static constexpr Self from_bits(std::uint64_t bits) {
    Self result{};
    result.bits = storage_type(bits & ((std::uint64_t{1} << num_bits(Type)) - 1));
    return result;
  }

  template <core::arithmetic T>
  explicit constexpr operator T() const {
    return convert_to<T>(core::decode<Type>(bits));
  }

  friend constexpr Self operator+(Self a) { return a; }
  friend constexpr Self operator-(Self a) {
    constexpr core::float_format format = core::format_of(Type);
    if constexpr (format.specials == core::float_specials::power_of_two) return from_bits(format.nan(false));
    if (format.specials == core::float_specials::nan_for_minus_zero && (a.bits & (format.sign() - 1)) == 0) return a;
    return from_bits(a.bits ^ format.sign());
  }
  friend constexpr Self operator+(Self a, Self b) { return Self(core::float_add(f32(a), f32(b))); }
  friend constexpr Self operator-(Self a, Self b) { return Self(core::float_subtract(f32(a), f32(b))); }
  friend constexpr Self operator*(Self a, Self b) { return Self(core::float_multiply(f32(a), f32(b))); }
  friend constexpr Self operator/(Self a, Self b) { return Self(core::float_divide(f32(a), f32(b))); }
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
  explicit constexpr small_integer(T number) : value(core::truncate(number, lowest, highest)) {}
  template <class Other, dtype OtherType>
    requires(OtherType != Type)
  explicit constexpr small_integer(small_integer<Other, OtherType> number) : small_integer(number.value) {}
  template <class Other, dtype OtherType>
  explicit constexpr small_integer(small_float<Other, OtherType> number) : small_integer(f32(number)) {}

  // The low num_bits(Type) bits, in two's complement.
  static constexpr Self from_bits(std::uint64_t bits) { return Self(bits); }

  template <core::arithmetic T>
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

// In the order of dtype.
using element_types = std::tuple<void, i1, i2, i4, i8, i16, i32, i64, ui2, ui4, ui8, ui16, ui32, ui64, f4E2M1FN,
                                 f6E2M3FN, f6E3M2FN, f8E3M4, f8E4M3, f8E4M3FN, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E5M2,
                                 f8E5M2FNUZ, f8E8M0FNU, bf16, f16, void, f32, f64, complex<f32>, complex<f64>>;

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
    return dtype(int(unsigned_type(int(sizeof(T)))) - int(dtype::ui8) + int(dtype::i8));
  } else if constexpr (std::unsigned_integral<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                       !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>) {
    return unsigned_type(int(sizeof(T)));
  } else {
    return dtype::none;
  }
}

}  // namespace detail

// `none` for types that are no element types. All of C++'s integers of 32 bits are i32, and so on.
template <class T>
inline constexpr dtype dtype_of = detail::find_dtype<std::remove_cv_t<T>>();

template <class T>
concept element_like = dtype_of<T> != dtype::none;

template <dtype Type>
struct element_of {};
template <dtype Type>
  requires(is_element(Type))
struct element_of<Type> : std::tuple_element<std::size_t(Type), detail::element_types> {};

template <dtype Type>
using element_t = typename element_of<Type>::type;

// The type of arithmetic on T: f32 for narrower floats, a byte for narrower integers, else T itself.
template <class T>
using compute_t =
    std::conditional_t<is_float(dtype_of<T>) && num_bits(dtype_of<T>) < 32, f32,
                       std::conditional_t<is_integer(dtype_of<T>) && num_bits(dtype_of<T>) < 8,
                                          std::conditional_t<is_signed_integer(dtype_of<T>), i8, ui8>, T>>;

// The bit pattern, in the low num_bits bits.
template <element_like T>
  requires(!is_complex(dtype_of<T>))
constexpr ui64 to_bits(T value) {
  if constexpr (requires { value.bits; })
    return value.bits;
  else if constexpr (requires { value.value; })
    return ui64(value.value) & ((ui64{1} << num_bits(dtype_of<T>)) - 1);
  else if constexpr (std::same_as<T, f32>)
    return core::bit_cast<ui32>(value);
  else if constexpr (std::same_as<T, f64>)
    return core::bit_cast<ui64>(value);
  else
    return ui64(std::make_unsigned_t<std::conditional_t<std::same_as<T, bool>, ui8, T>>(value));
}

// The element with that bit pattern; bits above num_bits are ignored.
template <element_like T>
  requires(!is_complex(dtype_of<T>))
constexpr T from_bits(ui64 bits) {
  if constexpr (std::same_as<T, f32>)
    return core::bit_cast<f32>(ui32(bits));
  else if constexpr (std::same_as<T, f64>)
    return core::bit_cast<f64>(bits);
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
      is_signed_integer(type) || (is_floating && core::format_of(type).specials != core::float_specials::power_of_two);
  // Of floats; 0 for others. The mantissa does not count the implicit bit.
  static constexpr int exponent_bits = is_floating ? core::format_of(type).exponent_bits : 0;
  static constexpr int mantissa_bits = is_floating ? core::format_of(type).mantissa_bits : 0;
  static constexpr int exponent_bias = is_floating ? core::format_of(type).bias : 0;
  static constexpr bool has_infinity = is_floating && core::format_of(type).has_infinity();
  static constexpr bool has_nan = is_floating && core::format_of(type).has_nan();

  // The largest finite value.
  static constexpr T max() {
    if constexpr (is_floating)
      return from_bits<T>(core::format_of(type).max());
    else if constexpr (std::integral<T>)
      return core::highest_integer<T>();
    else
      return T(T::highest);
  }
  // The most negative finite value; for f8E8M0FNU, which has no sign, the smallest.
  static constexpr T lowest() {
    if constexpr (is_floating)
      return from_bits<T>(is_signed ? core::format_of(type).max() | core::format_of(type).sign() : 0);
    else if constexpr (std::integral<T>)
      return core::lowest_integer<T>();
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
      return from_bits<T>(core::format_of(type).infinity() | core::format_of(type).sign());
    else
      return lowest();
  }
  static constexpr T infinity()
    requires has_infinity
  {
    return from_bits<T>(core::format_of(type).infinity());
  }
  // Quiet.
  static constexpr T nan()
    requires has_nan
  {
    return from_bits<T>(core::format_of(type).nan(false));
  }
  // The distance from 1 to the next larger value.
  static constexpr T epsilon()
    requires is_floating
  {
    if constexpr (mantissa_bits == 0)
      return T(f32{1});
    else if constexpr (exponent_bias > mantissa_bits)
      return from_bits<T>(ui64(exponent_bias - mantissa_bits) << mantissa_bits);
    else
      return from_bits<T>(ui64{1} << (exponent_bias - 1));
  }
  // The smallest positive value with a full mantissa.
  static constexpr T smallest_normal()
    requires is_floating
  {
    return from_bits<T>(mantissa_bits == 0 ? 0 : ui64{1} << mantissa_bits);
  }
  // The smallest positive value.
  static constexpr T smallest_positive()
    requires is_floating
  {
    return from_bits<T>(mantissa_bits == 0 ? 0 : 1);
  }
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
    return convert_to<To>(core::decode<from>(value.bits));
  } else if constexpr (!std::is_arithmetic_v<From>) {
    return convert_to<To>(value.value);
  } else if constexpr (!std::is_arithmetic_v<To>) {
    return To(value);
  } else if constexpr (std::same_as<To, bool>) {
    return value != From{};
  } else if constexpr (std::integral<To> && std::floating_point<From>) {
    return core::truncate(value, core::lowest_integer<To>(), core::highest_integer<To>());
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
  [[maybe_unused]] std::conditional_t<std::is_void_v<result>, int, result> found{};
  const auto is_visited = [&]<dtype Type>() {
    if (type != Type) return false;
    if constexpr (std::is_void_v<result>)
      visitor.template operator()<element_t<Type>>();
    else
      found = visitor.template operator()<element_t<Type>>();
    return true;
  };
  (void)(is_visited.template operator()<First>() || ... || is_visited.template operator()<Types>());
  if constexpr (!std::is_void_v<result>) return found;
}

template <class Visitor>
constexpr auto visit(dtype type, Visitor&& visitor) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return visit<dtype(I + std::size_t(dtype::i1))..., dtype::f32, dtype::f64, dtype::complex_f32, dtype::complex_f64>(
        type, visitor);
  }(std::make_index_sequence<std::size_t(dtype::tf32) - std::size_t(dtype::i1)>{});
}

}  // namespace tenon
