// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

namespace tenon {

// A complex number, laid out as std::complex.
template <class T>
struct complex {
  using value_type = T;

  T real{};
  T imag{};

  // To std::complex<T>.
  template <class Target>
  requires requires(const Target& z) {
    { z.real() } -> std::same_as<T>;
    { z.imag() } -> std::same_as<T>;
  }
  constexpr operator Target() const { return Target(real, imag); }

  friend constexpr bool operator==(complex, complex) = default;

  friend constexpr complex operator+(complex z) { return z; }
  friend constexpr complex operator-(complex z) { return {-z.real, -z.imag}; }
  friend constexpr complex operator+(complex a, complex b) { return {a.real + b.real, a.imag + b.imag}; }
  friend constexpr complex operator-(complex a, complex b) { return {a.real - b.real, a.imag - b.imag}; }
  friend constexpr complex operator*(complex a, complex b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
  friend constexpr complex operator/(complex a, complex b) {
    if ((b.real < 0 ? -b.real : b.real) < (b.imag < 0 ? -b.imag : b.imag)) {
      const T ratio = b.real / b.imag;
      const T scale = b.imag + b.real * ratio;
      return {(a.real * ratio + a.imag) / scale, (a.imag * ratio - a.real) / scale};
    }
    const T ratio = b.imag / b.real;
    const T scale = b.real + b.imag * ratio;
    return {(a.real + a.imag * ratio) / scale, (a.imag - a.real * ratio) / scale};
  }

  friend constexpr complex& operator+=(complex& a, complex b) { return a = a + b; }
  friend constexpr complex& operator-=(complex& a, complex b) { return a = a - b; }
  friend constexpr complex& operator*=(complex& a, complex b) { return a = a * b; }
  friend constexpr complex& operator/=(complex& a, complex b) { return a = a / b; }
};

// From std::complex, or anything with its real() and imag().
template <class Source>
requires requires(const Source& z) {
  z.real();
  z.imag();
}
constexpr auto to_complex(const Source& z) {
  return complex<std::remove_cvref_t<decltype(z.real())>>{z.real(), z.imag()};
}

}  // namespace tenon
