// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/format/float_arithmetic.hpp>

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
  constexpr operator Target() const {
    return Target(real, imag);
  }

  friend constexpr bool operator==(complex, complex) = default;

  friend constexpr complex operator+(complex z) { return z; }
  friend constexpr complex operator-(complex z) { return {-z.real, -z.imag}; }
  friend constexpr complex operator+(complex a, complex b) {
    return {core::float_add(a.real, b.real), core::float_add(a.imag, b.imag)};
  }
  friend constexpr complex operator-(complex a, complex b) {
    return {core::float_subtract(a.real, b.real), core::float_subtract(a.imag, b.imag)};
  }
  // Without the recovery of infinities of C's Annex G, as XLA multiplies.
  friend constexpr complex operator*(complex a, complex b) {
    return {core::float_subtract(core::float_multiply(a.real, b.real), core::float_multiply(a.imag, b.imag)),
            core::float_add(core::float_multiply(a.real, b.imag), core::float_multiply(a.imag, b.real))};
  }
  // Smith's method; a zero denominator gives infinities, an infinite one zeros, as XLA divides.
  friend constexpr complex operator/(complex a, complex b) {
    const bool imaginary_leads = core::magnitude(b.real) < core::magnitude(b.imag);
    const T major = imaginary_leads ? b.imag : b.real;
    const T minor = imaginary_leads ? b.real : b.imag;
    const T ratio = core::float_divide(minor, major);
    const T scale = core::float_add(major, core::float_multiply(minor, ratio));
    const complex quotient = imaginary_leads
                                 ? complex{core::float_add(core::float_multiply(a.real, ratio), a.imag),
                                           core::float_subtract(core::float_multiply(a.imag, ratio), a.real)}
                                 : complex{core::float_add(a.real, core::float_multiply(a.imag, ratio)),
                                           core::float_subtract(a.imag, core::float_multiply(a.real, ratio))};
    const complex result{core::float_divide(quotient.real, scale), core::float_divide(quotient.imag, scale)};
    return core::is_nan(result.real) && core::is_nan(result.imag) ? recovered(a, b, result) : result;
  }

  friend constexpr complex& operator+=(complex& a, complex b) { return a = a + b; }
  friend constexpr complex& operator-=(complex& a, complex b) { return a = a - b; }
  friend constexpr complex& operator*=(complex& a, complex b) { return a = a * b; }
  friend constexpr complex& operator/=(complex& a, complex b) { return a = a / b; }

 private:
  // a / b where the quotient came out NaN because a part is infinite or b is zero.
  static constexpr complex recovered(complex a, complex b, complex quotient) {
    if (b.real == 0 && b.imag == 0 && !(core::is_nan(a.real) && core::is_nan(a.imag))) {
      const T limit = T(core::infinity(core::is_negative(b.real)));
      return {core::float_multiply(limit, a.real), core::float_multiply(limit, a.imag)};
    }
    if (infinite(a) && finite(b)) return scaled(T(core::infinity(false)), directions(a), b);
    if (finite(a) && infinite(b)) return scaled(T(0), a, directions(b));
    return quotient;
  }

  static constexpr bool infinite(complex z) { return core::is_infinite(z.real) || core::is_infinite(z.imag); }
  static constexpr bool finite(complex z) { return core::is_finite(z.real) && core::is_finite(z.imag); }
  // Infinite parts become 1, others 0, of the same sign.
  static constexpr complex directions(complex z) { return {direction(z.real), direction(z.imag)}; }
  static constexpr T direction(T x) {
    const T size = core::is_infinite(x) ? T(1) : T(0);
    return core::is_negative(x) ? -size : size;
  }
  // factor * a * conjugate(b)
  static constexpr complex scaled(T factor, complex a, complex b) {
    return {core::float_multiply(factor, core::float_add(a.real * b.real, a.imag * b.imag)),
            core::float_multiply(factor, core::float_subtract(a.imag * b.real, a.real * b.imag))};
  }
};

}  // namespace tenon
