// SPDX-License-Identifier: Apache-2.0
#pragma once

// IEEE-754 arithmetic that also works in constant evaluation. Compilers refuse to evaluate what gives an infinity or a
// NaN, GCC also comparisons with a NaN, and only GCC knows the square root and the fused multiply-add; so there these
// functions decide such cases on the bits. At run time each is one instruction.

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/lanes.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

template <class T>
concept binary_float = std::same_as<T, float> || std::same_as<T, double>;

namespace ieee {

template <class T>
struct layout;
template <>
struct layout<float> {
  using bits = std::uint32_t;
  static constexpr int precision = 24, bias = 127;
};
template <>
struct layout<double> {
  using bits = std::uint64_t;
  static constexpr int precision = 53, bias = 1023;
};

template <binary_float T>
using bits_of = typename layout<T>::bits;

template <binary_float T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <binary_float T>
inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <binary_float T>
inline constexpr bits_of<T> sign_bit = bits_of<T>(1) << (sizeof(T) * 8 - 1);

template <binary_float T>
HWY_INLINE constexpr bits_of<T> to_bits(T x) {
  return bit_cast<bits_of<T>>(x);
}
template <binary_float T>
HWY_INLINE constexpr T from_bits(bits_of<T> bits) {
  return bit_cast<T>(bits);
}
template <binary_float T>
HWY_INLINE constexpr T magnitude(T x) {
  return from_bits<T>(to_bits(x) & ~sign_bit<T>);
}
template <binary_float T>
HWY_INLINE constexpr T negate(T x) {
  return from_bits<T>(to_bits(x) ^ sign_bit<T>);
}
template <binary_float T>
HWY_INLINE constexpr bool is_nan(T x) {
  return (to_bits(x) & ~sign_bit<T>) > to_bits(infinity<T>);
}
template <binary_float T>
HWY_INLINE constexpr bool is_infinite(T x) {
  return (to_bits(x) & ~sign_bit<T>) == to_bits(infinity<T>);
}
template <binary_float T>
HWY_INLINE constexpr bool is_finite(T x) {
  return (to_bits(x) & ~sign_bit<T>) < to_bits(infinity<T>);
}
template <binary_float T>
HWY_INLINE constexpr bool is_negative(T x) {
  return (to_bits(x) & sign_bit<T>) != 0;
}
template <binary_float T>
HWY_INLINE constexpr T with_sign_of(T x, T sign) {
  return from_bits<T>((to_bits(x) & ~sign_bit<T>) | (to_bits(sign) & sign_bit<T>));
}

// Rounded to f32, also where C++ leaves open what a conversion gives.
HWY_INLINE constexpr float narrow(double x) {
  if (!std::is_constant_evaluated()) return float(x);
  if (is_nan(x)) return nan<float>;
  // From here on it rounds to infinity.
  if (magnitude(x) >= 0x1.ffffffp+127) return with_sign_of(infinity<float>, is_negative(x) ? -1.0f : 1.0f);
  return float(x);
}

// 2 to a power that is a normal number.
template <binary_float T>
HWY_INLINE constexpr T power_of_two(int exponent) {
  return from_bits<T>(bits_of<T>(exponent + layout<T>::bias) << (layout<T>::precision - 1));
}

// The exponent e with 2^e <= |x| < 2^(e + 1), for finite x that is not zero.
template <binary_float T>
constexpr int exponent_of(T x) {
  const bits_of<T> bits = to_bits(magnitude(x));
  constexpr int stored = layout<T>::precision - 1;
  if (bits >> stored != 0) return int(bits >> stored) - layout<T>::bias;
  return int(std::bit_width(bits)) - stored - layout<T>::bias;
}

namespace detail {

// x times 2^exponent, for results that do not overflow and |exponent| at most three times the bias.
template <binary_float T>
constexpr T scale(T x, int exponent) {
  constexpr int step = layout<T>::bias - 1;
  for (; exponent > step; exponent -= step) x *= power_of_two<T>(step);
  // Down in steps that end above the subnormals, so that only the last one rounds.
  if (exponent < -step && x != T(0)) {
    const int most = exponent_of(x) + step;
    const int first = exponent + step < -most ? -most : exponent + step;
    x = first < -step ? x * power_of_two<T>(-step) : x * power_of_two<T>(first);
    exponent -= first < -step ? -step : first;
    if (exponent < -step) return x * std::numeric_limits<T>::denorm_min();
  }
  return x * power_of_two<T>(exponent);
}

template <binary_float T>
constexpr T significand(T x) {
  return scale(x, -exponent_of(x));
}

template <binary_float T>
constexpr T two_sum(T a, T b, T& error) {
  const T sum = a + b, other = sum - a;
  error = (a - (sum - other)) + (b - other);
  return sum;
}

// a + b rounded to odd: the inexact result is the neighbour whose last bit is one.
template <binary_float T>
constexpr T sum_to_odd(T a, T b) {
  T error{};
  const T sum = two_sum(a, b, error);
  if (error == T(0) || (to_bits(sum) & 1) != 0) return sum;
  return from_bits<T>((error > T(0)) == (sum > T(0)) ? to_bits(sum) + 1 : to_bits(sum) - 1);
}

template <binary_float T>
constexpr T fused_multiply_add(T a, T b, T c) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return nan<T>;
  if (is_infinite(a) || is_infinite(b)) {
    if (a == T(0) || b == T(0)) return nan<T>;
    const T product = with_sign_of(infinity<T>, is_negative(a) == is_negative(b) ? T(1) : T(-1));
    return is_infinite(c) && is_negative(c) != is_negative(product) ? nan<T> : product;
  }
  if (is_infinite(c)) return c;
  if (a == T(0) || b == T(0)) return a * b + c;
  // Both factors in [1, 2), and the addend to the same scale.
  const int exponent = exponent_of(a) + exponent_of(b);
  a = significand(a), b = significand(b);
  if (c != T(0)) {
    const int distance = exponent_of(c) - exponent;
    if (distance > 2 * layout<T>::precision) return c;
    c = distance < -3 * layout<T>::precision ? with_sign_of(power_of_two<T>(-3 * layout<T>::precision), c)
                                             : scale(c, -exponent);
  }
  constexpr T splitter = power_of_two<T>((layout<T>::precision + 1) / 2) + T(1);
  const T a_high = splitter * a - (splitter * a - a), a_low = a - a_high;
  const T b_high = splitter * b - (splitter * b - b), b_low = b - b_high;
  const T product = a * b;
  const T product_error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  T low{}, rest{};
  const T middle = two_sum(c, product_error, low);
  const T high = two_sum(product, middle, rest);
  const T sum = high + sum_to_odd(rest, low);
  if (sum == T(0)) return sum;
  if (exponent_of(sum) + exponent > layout<T>::bias) return with_sign_of(infinity<T>, sum);
  return scale(sum, exponent);
}

// Digit by digit, on the integer significand.
template <binary_float T>
constexpr T square_root(T x) {
  if (is_nan(x) || x == T(0)) return x;
  if (is_negative(x)) return nan<T>;
  if (is_infinite(x)) return x;
  constexpr int stored = layout<T>::precision - 1;
  int exponent = exponent_of(x);
  bits_of<T> rest = (to_bits(significand(x)) & ((bits_of<T>(1) << stored) - 1)) | (bits_of<T>(1) << stored);
  if (exponent % 2 != 0) rest <<= 1, --exponent;
  // One bit more than the precision, for rounding; a square root is never halfway between two numbers.
  rest <<= 1;
  bits_of<T> root = 0, doubled = 0;
  for (bits_of<T> bit = bits_of<T>(1) << (stored + 1); bit != 0; bit >>= 1) {
    if (doubled + bit <= rest) doubled += 2 * bit, rest -= doubled - bit, root += bit;
    rest <<= 1;
  }
  root = (root >> 1) + (root & 1);
  return scale(T(root), exponent / 2 - stored);
}

}  // namespace detail

template <class T>
HWY_INLINE constexpr bool less(T a, T b) {
  if constexpr (binary_float<T>)
    if (std::is_constant_evaluated() && (is_nan(a) || is_nan(b))) return false;
  return a < b;
}
template <class T>
HWY_INLINE constexpr bool less_or_equal(T a, T b) {
  if constexpr (binary_float<T>)
    if (std::is_constant_evaluated() && (is_nan(a) || is_nan(b))) return false;
  return a <= b;
}
template <class T>
HWY_INLINE constexpr bool equal(T a, T b) {
  if constexpr (binary_float<T>)
    if (std::is_constant_evaluated() && (is_nan(a) || is_nan(b))) return false;
  return a == b;
}

template <binary_float T>
HWY_INLINE constexpr T add(T a, T b) {
  if (std::is_constant_evaluated()) {
    if (is_nan(a) || is_nan(b)) return nan<T>;
    if (is_infinite(a)) return is_infinite(b) && is_negative(a) != is_negative(b) ? nan<T> : a;
    if (is_infinite(b)) return b;
    const T half = a / 2 + b / 2;
    if (magnitude(half) >= power_of_two<T>(layout<T>::bias)) return with_sign_of(infinity<T>, half);
  }
  return a + b;
}
template <binary_float T>
HWY_INLINE constexpr T subtract(T a, T b) {
  if (std::is_constant_evaluated()) return add(a, negate(b));
  return a - b;
}

// Rounded for itself, also when a sum follows.
template <binary_float T>
HWY_INLINE constexpr T multiply(T a, T b) {
  if (std::is_constant_evaluated()) {
    if (is_nan(a) || is_nan(b)) return nan<T>;
    const T sign = is_negative(a) == is_negative(b) ? T(1) : T(-1);
    if (is_infinite(a) || is_infinite(b))
      return equal(a, T(0)) || equal(b, T(0)) ? nan<T> : with_sign_of(infinity<T>, sign);
    if (a == T(0) || b == T(0)) return with_sign_of(T(0), sign);
    const int room = layout<T>::bias + 1 - exponent_of(a) - exponent_of(b);
    if (room <= 0) return with_sign_of(infinity<T>, sign);
    if (room <= 2 && magnitude(detail::significand(a) * detail::significand(b)) >= power_of_two<T>(room))
      return with_sign_of(infinity<T>, sign);
  }
  return rounded(a * b);
}
template <binary_float T>
HWY_INLINE constexpr T divide(T a, T b) {
  if (std::is_constant_evaluated()) {
    if (is_nan(a) || is_nan(b)) return nan<T>;
    const T sign = is_negative(a) == is_negative(b) ? T(1) : T(-1);
    if (is_infinite(a)) return is_infinite(b) ? nan<T> : with_sign_of(a, sign);
    if (is_infinite(b)) return with_sign_of(T(0), sign);
    if (b == T(0)) return a == T(0) ? nan<T> : with_sign_of(infinity<T>, sign);
    if (a == T(0)) return with_sign_of(T(0), sign);
    const int room = layout<T>::bias + 1 - exponent_of(a) + exponent_of(b);
    if (room < 0) return with_sign_of(infinity<T>, sign);
    if (room <= 1 && magnitude(detail::significand(a) / detail::significand(b)) >= power_of_two<T>(room))
      return with_sign_of(infinity<T>, sign);
  }
  return a / b;
}

template <binary_float T>
HWY_INLINE constexpr T square_root(T x) {
  if (std::is_constant_evaluated()) return detail::square_root(x);
#if defined(__arm__)
  // The C library's function would bring errno into firmware.
#if defined(__ARM_FP) && (__ARM_FP & 4)
  if constexpr (std::same_as<T, float>) {
    asm("vsqrt.f32 %0, %1" : "=t"(x) : "t"(x));
    return x;
  }
#endif
#if defined(__ARM_FP) && (__ARM_FP & 8)
  if constexpr (std::same_as<T, double>) {
    asm("vsqrt.f64 %P0, %P1" : "=w"(x) : "w"(x));
    return x;
  }
#endif
  return detail::square_root(x);
#else
  if constexpr (std::same_as<T, float>)
    return __builtin_sqrtf(x);
  else
    return __builtin_sqrt(x);
#endif
}

// a * b + c, rounded once. Only where the target has it: elsewhere it would be a slow call.
template <binary_float T>
HWY_INLINE constexpr T fused_multiply_add(T a, T b, T c) {
  if (std::is_constant_evaluated()) return detail::fused_multiply_add(a, b, c);
  if constexpr (std::same_as<T, float>)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
}

}  // namespace ieee

}  // namespace tenon::inline HWY_NAMESPACE
