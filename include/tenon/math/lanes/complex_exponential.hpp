// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exponential and the hyperbolic tangent of complex numbers.

#include <tenon/math/lanes/complex.hpp>
#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/lanes/hyperbolic.hpp>
#include <tenon/math/lanes/trigonometric.hpp>

namespace tenon::inline HWY_NAMESPACE::math::lanes {

namespace detail {

// The larger parts are functions that are called: GCC takes time by the square of what is inlined into one function.

// sin(x) and cos(x) to 37 bits.
template <class D, class V>
HWY_NOINLINE constexpr void short_circular(D d, V x, V& sine, V& cosine) {
  const bits_tag<D> db;
  V low = x;
  auto quadrant = Zero(db);
  V odd_part = x, even_part = x;
  short_sine_and_cosine(d, Add(reduce_angle(d, x, low, quadrant), low), odd_part, even_part);
  const auto odd = is_odd(d, quadrant);
  const V next = second_bit_as_sign(d, Add(quadrant, Set(db, ieee::bits_of<double>(1))));
  sine = Xor(IfThenElse(odd, even_part, odd_part), Xor(second_bit_as_sign(d, quadrant), sign_of(d, x)));
  cosine = Xor(IfThenElse(odd, odd_part, even_part), next);
}

// sin(x + x_low) and cos(x + x_low) with what they lack.
template <class D, class V>
HWY_NOINLINE constexpr void long_circular(D d, V x, V x_low, V& sine, V& sine_low, V& cosine, V& cosine_low) {
  const bits_tag<D> db;
  V low = x, sine_tail = x, cosine_tail = x, odd_low = x, even_low = x;
  auto quadrant = Zero(db);
  const V r = reduce_angle(d, x, low, quadrant);
  low = Add(low, Xor(x_low, sign_of(d, x)));
  const V whole = sine_and_cosine(d, r, low, sine_tail, cosine_tail);
  const V odd_part = exact_sum(r, sine_tail, odd_low), even_part = exact_sum(whole, cosine_tail, even_low);
  const auto odd = is_odd(d, quadrant);
  const V sine_sign = Xor(second_bit_as_sign(d, quadrant), sign_of(d, x));
  const V cosine_sign = second_bit_as_sign(d, Add(quadrant, Set(db, ieee::bits_of<double>(1))));
  sine = Xor(IfThenElse(odd, even_part, odd_part), sine_sign);
  sine_low = Xor(IfThenElse(odd, even_low, odd_low), sine_sign);
  cosine = Xor(IfThenElse(odd, odd_part, even_part), cosine_sign);
  cosine_low = Xor(IfThenElse(odd, odd_low, even_low), cosine_sign);
}

// e^(x + x_low) as (result + low) 2^exponent, with twice the bias in the exponent.
template <class D, class V, class B>
HWY_NOINLINE constexpr V long_exponential(D d, V x, V x_low, V& low, B& exponent) {
  V tail = x, error = x;
  const V r = reduce_exponential(d, x, tail, exponent);
  const V sum = ordered_sum(Set(d, 1.0), r, error);
  const V power = ordered_sum(sum, Add(tail, error), low);
  low = multiply_add(d, power, x_low, low);
  return power;
}

template <bool Sinh, class D, class V>
HWY_NOINLINE constexpr V whole_hyperbolic(D d, V x, V& low) {
  const V four = Set(d, 4.0), quarter = long_hyperbolic<Sinh>(d, x, low);
  low = product(low, four);
  return product(quarter, four);
}

// (a + a_low) (b + b_low) 2^k
template <class D, class V, class B>
HWY_NOINLINE constexpr V scaled_product(D d, V a, V a_low, V b, V b_low, B exponent) {
  V low = a;
  const V high = long_product(d, a, a_low, b, b_low, low);
  return scale(d, Add(high, low), exponent);
}

template <class D, class V>
HWY_INLINE constexpr auto is_finite(D d, V x) {
  return Lt(Abs(x), Set(d, ieee::infinity<double>));
}

}  // namespace detail

struct exponential_kernel {
  template <bool ForF32, class D, class M>
  static HWY_INLINE constexpr complex_vector<D> of(D d, M& usual, const complex_vector<D>& z) {
    using V = hn::Vec<D>;
    V sine = z.imag, cosine = z.imag;
    if constexpr (ForF32) {
      usual = And(detail::is_finite(d, z.real), detail::is_finite(d, z.imag));
      // Beyond these bounds f32 has but zero and infinity.
      const V size = detail::short_exponential(d, limit(d, z.real, -300.0, 300.0));
      detail::short_circular(d, z.imag, sine, cosine);
      return {product(size, cosine), product(size, sine)};
    } else {
      usual = And(And(Lt(Abs(z.real), Set(d, 700.0)), detail::is_finite(d, z.imag)),
                  Or(Gt(Abs(z.imag), Set(d, 0x1p-300)), Eq(z.imag, Zero(d))));
      V low = sine, sine_low = sine, cosine_low = sine;
      auto exponent = Zero(bits_tag<D>());
      const V size = detail::long_exponential(d, limit(d, z.real, -700.0, 700.0), Zero(d), low, exponent);
      detail::long_circular(d, z.imag, Zero(d), sine, sine_low, cosine, cosine_low);
      const V imag = detail::scaled_product(d, size, low, sine, sine_low, exponent);
      return {detail::scaled_product(d, size, low, cosine, cosine_low, exponent),
              IfThenElse(Eq(z.imag, Zero(d)), z.imag, imag)};
    }
  }
};

// tanh(x + i y) = (sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)^2 + cos(y)^2), a sum that never cancels.
struct tanh_kernel {
  template <bool ForF32, class D, class M>
  static HWY_INLINE constexpr complex_vector<D> of(D d, M& usual, const complex_vector<D>& z) {
    using V = hn::Vec<D>;
    V sine = z.imag, cosine = z.imag;
    const V zero = Zero(d), size = Abs(z.real), limited = limit(d, size, 0.0, 300.0);
    if constexpr (ForF32) {
      usual = And(detail::is_finite(d, size), detail::is_finite(d, z.imag));
      V sinh = size, cosh = size;
      detail::hyperbolic_of_f32(d, limited, sinh, cosh);
      detail::short_circular(d, z.imag, sine, cosine);
      const V inverse = Div(Set(d, 1.0), multiply_add(d, sinh, sinh, product(cosine, cosine)));
      return {CopySign(product(product(sinh, cosh), inverse), z.real), product(product(sine, cosine), inverse)};
    } else {
      // On the axes the other part is zero, and its sign that of the number's.
      usual = And(And(Lt(size, Set(d, 300.0)), detail::is_finite(d, z.imag)),
                  And(Gt(size, Set(d, 0x1p-300)), Gt(Abs(z.imag), Set(d, 0x1p-300))));
      V sinh_low = size, cosh_low = size, sine_low = size, cosine_low = size, real_low = size, imag_low = size,
        first_low = size, second_low = size, divisor_low = size;
      const V sinh = detail::whole_hyperbolic<true>(d, limited, sinh_low);
      const V cosh = detail::whole_hyperbolic<false>(d, limited, cosh_low);
      detail::long_circular(d, z.imag, zero, sine, sine_low, cosine, cosine_low);
      const V first = long_product(d, sinh, sinh_low, sinh, sinh_low, first_low);
      const V second = long_product(d, cosine, cosine_low, cosine, cosine_low, second_low);
      const V divisor = exact_sum(first, second, divisor_low);
      divisor_low = Add(divisor_low, Add(first_low, second_low));
      const V real = long_product(d, sinh, sinh_low, cosh, cosh_low, real_low);
      const V imag = long_product(d, sine, sine_low, cosine, cosine_low, imag_low);
      return {CopySign(quotient(d, real, real_low, divisor, divisor_low), z.real),
              quotient(d, imag, imag_low, divisor, divisor_low)};
    }
  }
};

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
