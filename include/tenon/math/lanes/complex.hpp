// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of complex<f32> in vectors, computed in f64 with about twice its digits: the same steps as those that work
// on one number, without their scaling, as nothing leaves the range of f64.

#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/format/float_format.hpp>
#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/lanes/trigonometric.hpp>

#include <concepts>

namespace tenon::inline HWY_NAMESPACE::math::lanes {

// Highway's emulated targets round what is too large for f32 to the largest number instead of infinity.
template <class T>
inline constexpr bool computes_complex_in_f64 = std::same_as<T, f32> && has_complex_lanes<f64> && !has_emulated_lanes;

namespace detail {

template <class D, class Half>
HWY_INLINE Vec<D> joined(D d, Vec<Half> lower, Vec<Half> upper) {
  const Rebind<float, Half> half;
  return Combine(d, DemoteTo(half, upper), DemoteTo(half, lower));
}
template <class D, class Half>
HWY_INLINE complex_vector<D> joined(D d, const complex_vector<Half>& lower, const complex_vector<Half>& upper) {
  return {joined<D, Half>(d, lower.real, upper.real), joined<D, Half>(d, lower.imag, upper.imag)};
}

}  // namespace detail

// f of the numbers in f64, one half of them after the other.
template <class D, class F>
HWY_INLINE auto in_f64(D d, F f, const complex_vector<D>& z) {
  const Half<D> half;
  using wide_tag = Rebind<double, Half<D>>;
  const wide_tag wide;
  const complex_vector<wide_tag> lower{PromoteTo(wide, LowerHalf(half, z.real)),
                                       PromoteTo(wide, LowerHalf(half, z.imag))};
  const complex_vector<wide_tag> upper{PromoteTo(wide, UpperHalf(half, z.real)),
                                       PromoteTo(wide, UpperHalf(half, z.imag))};
  return detail::joined<D, wide_tag>(d, f(wide, lower), f(wide, upper));
}

// a + a_low + b + b_low = result + error, as long_float adds.
template <class V>
HWY_INLINE V long_sum(V a, V a_low, V b, V b_low, V& error) {
  V rest = a, low_rest = a;
  const V high = exact_sum(a, b, rest);
  const V low = exact_sum(a_low, b_low, low_rest);
  V first_rest = a;
  const V first = exact_sum(high, Add(rest, low), first_rest);
  return exact_sum(first, Add(first_rest, low_rest), error);
}

// |z| of numbers that were f32.
template <class D>
HWY_INLINE Vec<D> magnitude(D d, const complex_vector<D>& z) {
  using V = Vec<D>;
  const V infinity = Set(d, ieee::infinity<double>);
  V error = infinity, low = infinity, rest_low = infinity;
  const V square = exact_sum(product(z.real, z.real), product(z.imag, z.imag), error);
  const V root = Sqrt(square);
  const V high = exact_product(d, root, root, low);
  const V rest = long_sum(square, error, Neg(high), Neg(low), rest_low);
  const V result = Add(root, Div(rest, Add(root, root)));
  const auto is_infinite = Or(Eq(Abs(z.real), infinity), Eq(Abs(z.imag), infinity));
  return IfThenElse(is_infinite, infinity, IfThenZeroElse(Eq(square, Zero(d)), result));
}

// e^z of numbers that were f32, to be rounded to f32.
template <class D>
HWY_INLINE complex_vector<D> exponential_of_complex(D d, const complex_vector<D>& z) {
  using V = Vec<D>;
  const bits_tag<D> db;
  const V nan = Set(d, ieee::nan<double>);
  V low = nan, sine_tail = nan, cosine_tail = nan, sine_low = nan, cosine_low = nan;
  auto quadrant = Zero(db);
  const V r = detail::reduce_angle(d, z.imag, low, quadrant);
  const V whole = detail::sine_and_cosine(d, r, low, sine_tail, cosine_tail);
  const V r_sine = exact_sum(r, sine_tail, sine_low), r_cosine = exact_sum(whole, cosine_tail, cosine_low);
  const auto odd = detail::is_odd(d, quadrant);
  const V sine_sign = Xor(detail::second_bit_as_sign(d, quadrant), sign_of(d, z.imag));
  const V cosine_sign = detail::second_bit_as_sign(d, Add(quadrant, Set(db, ieee::bits_of<double>(1))));
  const V sine = Xor(IfThenElse(odd, r_cosine, r_sine), sine_sign);
  const V sine_rest = Xor(IfThenElse(odd, cosine_low, sine_low), sine_sign);
  const V cosine = Xor(IfThenElse(odd, r_sine, r_cosine), cosine_sign);
  const V cosine_rest = Xor(IfThenElse(odd, sine_low, cosine_low), cosine_sign);

  // Beyond these bounds f32 has but zero and infinity.
  V tail = nan, one_rest = nan, size_rest = nan;
  auto exponent = Zero(db);
  const V power = detail::reduce_exponential(d, limit(d, z.real, -200.0, 200.0), tail, exponent);
  const V one_and = exact_sum(Set(d, 1.0), power, one_rest);
  const V size = long_sum(one_and, one_rest, tail, Zero(d), size_rest);
  const auto times = [&](V part, V part_rest) HWY_ATTR {
    V product_rest = part;
    const V high = exact_product(d, size, part, product_rest);
    const V cross = Add(product(size, part_rest), product(size_rest, part));
    return scale(d, Add(high, Add(product_rest, cross)), exponent);
  };
  complex_vector<D> result{times(cosine, cosine_rest), times(sine, sine_rest)};
  const auto undirected = Not(Lt(Abs(z.imag), Set(d, ieee::infinity<double>)));
  result = {IfThenElse(undirected, nan, result.real), IfThenElse(undirected, nan, result.imag)};
  const auto is_real = Eq(z.imag, Zero(d));
  if (!AllFalse(d, is_real))
    result = {IfThenElse(is_real, exponential(d, z.real), result.real), IfThenElse(is_real, z.imag, result.imag)};
  return result;
}

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
