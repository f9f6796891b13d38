// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of kernels: sums and products together with their rounding errors, polynomials, powers of two.
// A vector may not be a class member on every target, so a value with its error is returned in two parts: the result
// and an output argument.

#include <tenon/core/lanes.hpp>
#include <tenon/math/one_lane.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math::lanes {

using namespace hn;  // NOLINT: the kernels call Highway and one_lane by the same names

template <class D>
using bits_tag = Rebind<ieee::bits_of<TFromD<D>>, D>;

// Compilers do better with plain floats than with emulated lanes.
template <class D>
inline constexpr bool is_emulated = has_emulated_lanes;
template <class T>
inline constexpr bool is_emulated<one_lane::tag<T>> = false;

template <class D>
inline constexpr bool is_one_lane = false;
template <class T>
inline constexpr bool is_one_lane<one_lane::tag<T>> = true;

// f of each element by itself, as a kernel on one lane.
template <class F, class D, class V>
HWY_INLINE V each_lane(F f, D d, V x) {
  using T = TFromD<D>;
  HWY_ALIGN T lanes[MaxLanes(d)];
  Store(x, d, lanes);
  for (T& lane : lanes) lane = f(one_lane::tag<T>(), one_lane::lane<T>{lane}).raw;
  return Load(d, lanes);
}
template <class F, class D, class V>
HWY_INLINE V each_lane(F f, D d, V x, V y) {
  using T = TFromD<D>;
  HWY_ALIGN T lanes[MaxLanes(d)];
  HWY_ALIGN T others[MaxLanes(d)];
  Store(x, d, lanes);
  Store(y, d, others);
  for (std::size_t i = 0; i < MaxLanes(d); ++i)
    lanes[i] = f(one_lane::tag<T>(), one_lane::lane<T>{lanes[i]}, one_lane::lane<T>{others[i]}).raw;
  return Load(d, lanes);
}

// a * b. The plain Mul must not meet a sum, see rounded().
template <class V>
HWY_INLINE constexpr V product(V a, V b) {
  return rounded(Mul(a, b));
}

// Whether products and sums are fused. On emulated targets that is the processor's business: a Cortex-M4 has it for
// f32.
template <class T>
inline constexpr bool is_fused = HWY_NATIVE_FMA;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#ifdef __FP_FAST_FMAF
template <>
inline constexpr bool is_fused<float> = true;
#endif
#ifdef __FP_FAST_FMA
template <>
inline constexpr bool is_fused<double> = true;
#endif
#endif

// a * b + c, c - a * b: fused if the target can.
template <class D, class V>
HWY_INLINE constexpr V multiply_add(D, V a, V b, V c) {
  if constexpr (is_fused<TFromD<D>>)
    return MulAdd(a, b, c);
  else
    return Add(product(a, b), c);
}
template <class D, class V>
HWY_INLINE constexpr V negative_multiply_add(D, V a, V b, V c) {
  if constexpr (is_fused<TFromD<D>>)
    return NegMulAdd(a, b, c);
  else
    return Sub(c, product(a, b));
}

// c0 + c1 x + c2 x^2 ...
template <class D, class V, class... Coefficients>
HWY_INLINE constexpr V polynomial(D d, V x, TFromD<D> first, Coefficients... rest) {
  if constexpr (sizeof...(rest) == 0)
    return Set(d, first);
  else
    return multiply_add(d, polynomial(d, x, rest...), x, Set(d, first));
}

// The coefficients First, First + 4, ... of a polynomial in x^4.
template <int First, class D, class V, std::size_t N>
HWY_INLINE constexpr V polynomial_strand(D d, V fourth, const TFromD<D> (&coefficients)[N]) {
  if constexpr (First + 4 >= int(N))
    return Set(d, coefficients[First]);
  else
    return multiply_add(d, polynomial_strand<First + 4>(d, fourth, coefficients), fourth, Set(d, coefficients[First]));
}

// The same polynomial in a quarter of the steps that wait for each other, where one more rounding does not matter.
template <class D, class V, class... Coefficients>
HWY_INLINE constexpr V long_polynomial(D d, V x, Coefficients... all) {
  const TFromD<D> coefficients[] = {all...};
  const V square = product(x, x), fourth = product(square, square);
  const V first =
      multiply_add(d, polynomial_strand<1>(d, fourth, coefficients), x, polynomial_strand<0>(d, fourth, coefficients));
  const V second =
      multiply_add(d, polynomial_strand<3>(d, fourth, coefficients), x, polynomial_strand<2>(d, fourth, coefficients));
  return multiply_add(d, second, square, first);
}

// a + b = result + error, exactly.
template <class V>
HWY_INLINE constexpr V exact_sum(V a, V b, V& error) {
  const V sum = Add(a, b);
  const V other = Sub(sum, a);
  error = Add(Sub(a, Sub(sum, other)), Sub(b, other));
  return sum;
}

// The same, shorter, where |a| >= |b| or a = 0.
template <class V>
HWY_INLINE constexpr V ordered_sum(V a, V b, V& error) {
  const V sum = Add(a, b);
  error = Sub(b, Sub(sum, a));
  return sum;
}

// x rounded to half its digits; the rest fits into the other half, so that products of such parts are exact.
template <class D, class V>
HWY_INLINE constexpr V upper_half(D d, V x) {
  using bits = ieee::bits_of<TFromD<D>>;
  const bits_tag<D> db;
  constexpr int dropped = ieee::layout<TFromD<D>>::precision - ieee::layout<TFromD<D>>::precision / 2;
  const auto biased = Add(BitCast(db, x), Set(db, bits(bits(1) << (dropped - 1))));
  return BitCast(d, And(biased, Set(db, bits(~bits(0) << dropped))));
}

// a * b - high, where high is about a * b; exact if high is the rounded product.
template <class D, class V>
HWY_INLINE constexpr V product_error(D d, V a, V b, V high) {
  if constexpr (is_fused<TFromD<D>>) {
    return MulSub(a, b, high);
  } else if constexpr (std::is_same_v<D, one_lane::tag<float>>) {
    // The product has all its digits in double precision.
    return {float(ieee::subtract(ieee::multiply(double(a.raw), double(b.raw)), double(high.raw)))};
  } else {
    const V a_high = upper_half(d, a), a_low = Sub(a, a_high);
    const V b_high = upper_half(d, b), b_low = Sub(b, b_high);
    V result = Sub(product(a_high, b_high), high);
    result = Add(result, product(a_high, b_low));
    result = Add(result, product(a_low, b_high));
    return Add(result, product(a_low, b_low));
  }
}

// a * b = result + error.
template <class D, class V>
HWY_INLINE constexpr V exact_product(D d, V a, V b, V& error) {
  const V high = product(a, b);
  error = product_error(d, a, b, high);
  return high;
}

// Adding this to a small number rounds it to an integer, which then stands in the last bits.
template <class T>
inline constexpr T integer_anchor = T(3) * ieee::power_of_two<T>(ieee::layout<T>::precision - 2);

// 2^k for the integer vector biased = k + bias >= 1.
template <class D, class B>
HWY_INLINE constexpr Vec<D> power_of_two(D d, B biased) {
  return BitCast(d, ShiftLeft<ieee::layout<TFromD<D>>::precision - 1>(biased));
}

// Splits 2^k into two powers of two, each a normal number: returns the first one, and the biased exponent of the second
// one. biased_twice = k + 2 bias >= 2.
template <class D, class B>
HWY_INLINE constexpr Vec<D> split_power_of_two(D d, B biased_twice, B& second) {
  const B first = ShiftRight<1>(biased_twice);
  second = Sub(biased_twice, first);
  return power_of_two(d, first);
}

// x 2^k. In two steps: one power of two alone would overflow before the result does.
template <class D, class V, class B>
HWY_INLINE constexpr V scale(D d, V x, B biased_twice) {
  B second = biased_twice;
  const V first = split_power_of_two(d, biased_twice, second);
  return product(product(x, first), power_of_two(d, second));
}

// x between two bounds; a NaN stays one.
template <class D, class V>
HWY_INLINE constexpr V limit(D d, V x, TFromD<D> lowest, TFromD<D> highest) {
  x = IfThenElse(Lt(x, Set(d, lowest)), Set(d, lowest), x);
  return IfThenElse(Gt(x, Set(d, highest)), Set(d, highest), x);
}

// (a + a_low) / (b + b_low) = result + error, where the low parts are rounding errors of the others.
template <class D, class V>
HWY_INLINE constexpr V quotient(D d, V a, V a_low, V b, V b_low, V& error) {
  const V inverse = Div(Set(d, TFromD<D>(1)), b);
  const V result = product(a, inverse);
  const V rest = Sub(negative_multiply_add(d, result, b_low, a_low), product_error(d, result, b, a));
  error = product(rest, inverse);
  return result;
}
template <class D, class V>
HWY_INLINE constexpr V quotient(D d, V a, V a_low, V b, V b_low) {
  V error = a;
  const V result = quotient(d, a, a_low, b, b_low, error);
  return Add(result, error);
}

// (a + a_low) (b + b_low) = result + error, likewise.
template <class D, class V>
HWY_INLINE constexpr V long_product(D d, V a, V a_low, V b, V b_low, V& error) {
  V low = a;
  const V result = exact_product(d, a, b, low);
  error = multiply_add(d, a, b_low, multiply_add(d, a_low, b, low));
  return result;
}

// The sign bit alone.
template <class D, class V>
HWY_INLINE constexpr V sign_of(D d, V x) {
  using T = TFromD<D>;
  return And(x, BitCast(d, Set(bits_tag<D>(), ieee::sign_bit<T>)));
}

// `result`, but f(a, b) in the lanes where `mask` holds: for what is rare and slow.
template <class D, class M, class V, class F>
HWY_INLINE constexpr V for_lanes(D d, M mask, V result, V a, V b, F f) {
  using T = TFromD<D>;
  if (AllFalse(d, mask)) return result;
  HWY_ALIGN T chosen[MaxLanes(D())] = {}, results[MaxLanes(D())] = {}, as[MaxLanes(D())] = {}, bs[MaxLanes(D())] = {};
  Store(IfThenElseZero(mask, Set(d, T(1))), d, chosen);
  Store(result, d, results);
  Store(a, d, as);
  Store(b, d, bs);
  for (std::size_t i = 0; i < Lanes(d); ++i)
    if (chosen[i] != T(0)) results[i] = f(as[i], bs[i]);
  return Load(d, results);
}

}  // namespace math::lanes

}  // namespace tenon::inline HWY_NAMESPACE
