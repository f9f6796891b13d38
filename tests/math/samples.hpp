// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/math/ieee.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

// Inputs for the functions of tenon/math, and distances between results.
namespace tenon::test {

template <class T>
std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0),
                           T(0.1),
                           T(0.5),
                           T(1),
                           T(1.5),
                           T(2),
                           T(2.5),
                           T(3),
                           T(1.5707964f),
                           T(1e4),
                           T(1e30),
                           limits::min(),
                           limits::max(),
                           limits::denorm_min(),
                           std::nextafter(T(1), T(0)),
                           std::nextafter(T(1), T(2)),
                           T(1) / limits::epsilon(),
                           std::nextafter(limits::min(), T(0)),
                           limits::infinity(),
                           limits::quiet_NaN()};
  for (std::size_t i = 0, n = values.size(); i < n; ++i) values.push_back(ieee::negate(values[i]));
  return values;
}

// Special values; for f32 every 99991st of all bit patterns, for f64 random ones, uniform in the exponent, and random
// ones of ordinary size.
template <class T>
std::vector<T> samples() {
  std::vector<T> values = special_values<T>();
  std::mt19937_64 random(1);
  if constexpr (sizeof(T) == 4) {
    for (std::uint64_t bits = 0; bits < (std::uint64_t(1) << 32); bits += 99991)
      values.push_back(ieee::from_bits<T>(std::uint32_t(bits)));
  } else {
    for (int i = 0; i < 10000; ++i) values.push_back(ieee::from_bits<T>(random()));
  }
  for (int i = 0; i < 20000; ++i) {
    const T size = T(std::ldexp(double(random() >> 11), -53 + int(random() % 20) - 10));
    values.push_back(random() % 2 == 0 ? size : -size);
  }
  return values;
}

template <class T>
bool same(T a, T b) {
  return ieee::to_bits(a) == ieee::to_bits(b) || (ieee::is_nan(a) && ieee::is_nan(b));
}
template <class T>
bool same(complex<T> a, complex<T> b) {
  return same(a.real, b.real) && same(a.imag, b.imag);
}

// How many numbers lie between a and b, the latter included; zero for two NaNs, and for zeros of either sign.
template <class T>
std::uint64_t distance(T a, T b) {
  if (ieee::is_nan(a) || ieee::is_nan(b)) return ieee::is_nan(a) && ieee::is_nan(b) ? 0 : ~std::uint64_t(0);
  const auto rank = [](T x) {
    const auto size = std::int64_t(ieee::to_bits(ieee::magnitude(x)));
    return ieee::is_negative(x) ? -size : size;
  };
  return std::uint64_t(rank(a) < rank(b) ? rank(b) - rank(a) : rank(a) - rank(b));
}
template <class T>
std::uint64_t distance(complex<T> a, complex<T> b) {
  return std::max(distance(a.real, b.real), distance(a.imag, b.imag));
}

// A wider type for what results should be.
template <class T>
struct wider;
template <>
struct wider<float> {
  using type = double;
};
template <>
struct wider<double> {
  using type = long double;
};
template <class T>
using wider_t = typename wider<T>::type;
template <class T>
inline constexpr bool has_wider = std::numeric_limits<wider_t<T>>::digits > std::numeric_limits<T>::digits;

// At most one number away from the rounded result of `exact`, which computes in a wider type; same sign of zero.
template <class T>
void check_accuracy(auto function, auto exact) {
  if constexpr (has_wider<T>) {
    std::uint64_t largest = 0;
    T worst = 0;
    for (const T x : samples<T>()) {
      const T expected = T(exact(wider_t<T>(x))), computed = function(x);
      std::uint64_t d = distance(computed, expected);
      if (d == 0 && computed == 0 && ieee::is_negative(computed) != ieee::is_negative(expected)) d = 2;
      if (d > largest) largest = d, worst = x;
    }
    CAPTURE(worst);
    CHECK(largest <= 1);
  }
}
template <class T>
void check_accuracy_of_two(auto function, auto exact) {
  if constexpr (has_wider<T>) {
    std::uint64_t largest = 0;
    T worst[2] = {};
    const auto check = [&](T x, T y) {
      const T expected = T(exact(wider_t<T>(x), wider_t<T>(y))), computed = function(x, y);
      std::uint64_t d = distance(computed, expected);
      if (d == 0 && computed == 0 && ieee::is_negative(computed) != ieee::is_negative(expected)) d = 2;
      if (d > largest) largest = d, worst[0] = x, worst[1] = y;
    };
    for (const T x : special_values<T>())
      for (const T y : special_values<T>()) check(x, y);
    const std::vector<T> values = samples<T>();
    for (std::size_t i = 0; i < values.size(); ++i) check(values[i], values[(i * 7919 + 13) % values.size()]);
    CAPTURE(worst[0]);
    CAPTURE(worst[1]);
    CHECK(largest <= 1);
  }
}

// Both parts at most `tolerance` numbers away from std::complex's result in a wider type, for numbers of ordinary size.
template <class T>
void check_complex_accuracy(auto function, auto exact, std::uint64_t tolerance = 1) {
  if constexpr (has_wider<T>) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> part(-6, 6);
    std::uint64_t largest = 0;
    complex<T> worst;
    for (int i = 0; i < 2000; ++i) {
      const complex<T> z{T(part(random)), T(part(random))};
      const std::complex<wider_t<T>> expected = exact(std::complex<wider_t<T>>(z.real, z.imag));
      const std::uint64_t d = distance(function(z), complex<T>{T(expected.real()), T(expected.imag())});
      if (d > largest) largest = d, worst = z;
    }
    CAPTURE(worst.real);
    CAPTURE(worst.imag);
    CHECK(largest <= tolerance);
  }
}

// The functions of complex numbers map conjugates to conjugates.
template <class T>
void check_conjugates(auto function) {
  for (const T x : special_values<T>())
    for (const T y : special_values<T>()) {
      if (ieee::is_nan(x) || ieee::is_nan(y)) continue;
      const complex<T> up = function(complex<T>{x, y}), down = function(complex<T>{x, ieee::negate(y)});
      if (same(up, complex<T>{down.real, ieee::negate(down.imag)})) continue;
      CAPTURE(x);
      CAPTURE(y);
      FAIL_CHECK("not conjugate");
    }
}

}  // namespace tenon::test
