// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/exponential.hpp>
#include <tenon/math/lanes/complex_logarithm.hpp>
#include <tenon/math/lanes/power.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/long_float.hpp>
#include <tenon/math/magnitude.hpp>

#include <concepts>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

// e^(w log(z))
constexpr complex_double power_of(complex_double z, complex_double w) {
  if (is_zero(w)) return {1, 0};
  if (is_zero(z)) return w.real > 0 ? complex_double{0, 0} : complex_double{nan, nan};
  if (!is_finite(z) || !is_finite(w)) return exponential_of(w * log_of(z));
  const long_float log = long_logarithm_of_magnitude(z), angle = long_angle(z.imag, z.real);
  // Beyond this bound the result is zero or infinite anyway, but the products must not overflow.
  constexpr double most = 0x1p+900;
  if (ieee::magnitude(w.real) > most || ieee::magnitude(w.imag) > most)
    return exponential_of(w * complex_double{log.value(), angle.value()});
  long_float real = log * w.real - angle * w.imag;
  const long_float imag = angle * w.real + log * w.imag;
  if (real.high < -1500) real = -1500;
  if (real.high > 1500) real = 1500;
  const scaled_float size = long_exponential(real);
  const circular_functions direction = long_circular(imag);
  return {scale((size.value * direction.cosine).value(), size.exponent),
          scale((size.value * direction.sine).value(), size.exponent)};
}

}  // namespace detail

template <binary_float T>
constexpr T power(T x, T y) {
  return lanes::power(one_lane::tag<T>(), one_lane::lane<T>{x}, one_lane::lane<T>{y}).raw;
}

// Wraps around. With a negative exponent, the whole part of the fraction: zero but for the bases 1 and -1; the base 0
// gives 0, as in XLA.
template <std::integral T>
constexpr T power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return T(1);
      return base == -1 ? T(exponent % 2 == 0 ? 1 : -1) : T(0);
    }
  }
  // Unsigned arithmetic that no promotion makes signed.
  using wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  wide result = 1, factor = wide(base);
  for (auto rest = std::make_unsigned_t<T>(exponent); rest != 0; rest = std::make_unsigned_t<T>(rest >> 1)) {
    if ((rest & 1) != 0) result *= factor;
    factor *= factor;
  }
  return T(result);
}

// e^(exponent log(base)); one if the exponent is zero, zero if the base is zero and the exponent's real part positive.
template <binary_float T>
constexpr complex<T> power(complex<T> base, complex<T> exponent) {
  return lanes::complex_function_of_one<lanes::power_kernel>(detail::power_of, base, exponent);
}

template <binary_float T>
constexpr T square(T x) {
  return ieee::multiply(x, x);
}
template <binary_float T>
constexpr complex<T> square(complex<T> z) {
  const T product = ieee::multiply(z.real, z.imag);
  // Also where the factors overflow.
  const bool diagonal = ieee::is_finite(z.real) && ieee::magnitude(z.real) == ieee::magnitude(z.imag);
  return {diagonal ? T(0) : ieee::multiply(ieee::subtract(z.real, z.imag), ieee::add(z.real, z.imag)),
          ieee::add(product, product)};
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
