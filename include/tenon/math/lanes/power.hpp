// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exact.hpp>
#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/lanes/in_f64.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/lanes/rounding.hpp>

#include <concepts>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

// log((1 + s) / (1 - s)) = 2 s + (2/3) s^3 + (2/5) s^5 + s^7 remainder; the fractions in two parts.
template <class T>
struct power_constants;

template <>
struct power_constants<float> {
  static constexpr float third = 0x1.555556p-1f, third_low = -0x1.555556p-26f;
  static constexpr float fifth = 0x1.99999ap-2f, fifth_low = -0x1.99999ap-28f;

  template <class D, class V>
  static HWY_INLINE constexpr V remainder(D d, V square) {
    return polynomial(d, square, 0x1.24758ep-2f, 0x1.d9d9dap-3f);
  }
};

template <>
struct power_constants<double> {
  static constexpr double third = 0x1.5555555555555p-1, third_low = 0x1.5555555555555p-55;
  static constexpr double fifth = 0x1.999999999999ap-2, fifth_low = -0x1.999999999999ap-56;

  template <class D, class V>
  static HWY_INLINE constexpr V remainder(D d, V square) {
    return polynomial(d, square, 0x1.24924924927d2p-2, 0x1.c71c71c659161p-3, 0x1.745d17d7fb896p-3, 0x1.3b1378045eb14p-3,
                      0x1.111dd675e4d8ep-3, 0x1.de9d219e775d7p-4, 0x1.e7ec2b1c85c8bp-4);
  }
};

// The logarithm of x > 0 as result + low, to half as many digits more than a float has.
template <class D, class V>
HWY_INLINE constexpr V long_logarithm(D d, V x, V& low) {
  using T = TFromD<D>;
  using constants = power_constants<T>;
  constexpr int bias = ieee::layout<T>::bias, precision = ieee::layout<T>::precision;
  const V one = Set(d, T(1));
  const auto subnormal = Lt(x, Set(d, ieee::power_of_two<T>(1 - bias)));
  const V normal = IfThenElse(subnormal, product(x, Set(d, ieee::power_of_two<T>(precision))), x);
  auto biased = Zero(bits_tag<D>());
  const V m = split_exponent(d, normal, biased);
  const V k = Sub(to_float(d, biased), IfThenElse(subnormal, Set(d, T(bias + precision)), Set(d, T(bias))));

  // s = (m - 1) / (m + 1)
  V denominator_low = x, s_low = x, error = x;
  const V denominator = exact_sum(one, m, denominator_low);
  V s = quotient(d, Sub(m, one), Zero(d), denominator, denominator_low, s_low);
  s = ordered_sum(s, s_low, s_low);
  // z = s^2
  V z_low = x;
  const V z = exact_product(d, s, s, z_low);
  z_low = multiply_add(d, Add(s, s), s_low, z_low);
  // 2/5 + z remainder, with the error of the sum
  V sum_low = x;
  V sum = ordered_sum(Set(d, constants::fifth),
                      multiply_add(d, z, constants::remainder(d, z), Set(d, constants::fifth_low)), sum_low);
  // 2/3 + z (...)
  V term = long_product(d, z, z_low, sum, sum_low, error);
  sum = ordered_sum(Set(d, constants::third), term, sum_low);
  sum_low = Add(sum_low, Add(error, Set(d, constants::third_low)));
  // s^3 (...)
  term = long_product(d, z, z_low, sum, sum_low, error);
  V term_low = x;
  term = long_product(d, term, error, s, s_low, term_low);
  sum = ordered_sum(Add(s, s), term, error);
  sum_low = Add(error, Add(term_low, Add(s_low, s_low)));
  // + k log(2)
  const V result = ordered_sum(product(k, Set(d, logarithm_constants<T>::log_2_high)), sum, error);
  const V rest = multiply_add(d, k, Set(d, logarithm_constants<T>::log_2_low), Add(error, sum_low));
  return ordered_sum(result, rest, low);
}

// x^y for x >= 0, but for x = 1 or y = 0, where something is not a number.
template <class D, class V>
HWY_INLINE constexpr V positive_power(D d, V x, V y) {
  using T = TFromD<D>;
  using constants = exponential_constants<T>;
  V log_low = x, low = x, error = x, tail = x;
  V logarithm = long_logarithm(d, x, log_low);
  const V infinity = Set(d, ieee::infinity<T>);
  const auto regular = And(Gt(x, Zero(d)), Lt(x, infinity));
  logarithm = IfThenElse(regular, logarithm, IfThenElse(Eq(x, Zero(d)), Neg(infinity), x));
  log_low = IfThenElseZero(regular, log_low);

  V exponent = long_product(d, y, Zero(d), logarithm, log_low, low);
  // Beyond these bounds the result is 0 or infinite, and the low part may be NaN.
  low = IfThenElseZero(Lt(Abs(exponent), Set(d, -constants::lowest)), low);
  exponent = limit(d, exponent, constants::lowest, constants::highest);
  auto scaling = Zero(bits_tag<D>());
  const V r = reduce_exponential(d, exponent, tail, scaling);
  const V sum = ordered_sum(Set(d, T(1)), r, error);
  tail = Add(error, tail);
  tail = multiply_add(d, low, Add(sum, tail), tail);
  return scale(d, Add(sum, tail), scaling);
}

// The same of f32, in f64: of the logarithm 40 bits are enough.
template <class D, class V>
HWY_INLINE constexpr V positive_power_of_f32(D d, V x, V y) {
  const V infinity = Set(d, ieee::infinity<double>);
  auto biased = Zero(bits_tag<D>());
  const V f = Sub(split_exponent(d, x, biased), Set(d, 1.0));
  const V k = Sub(to_float(d, biased), Set(d, double(ieee::layout<double>::bias)));
  const V slope =
      long_polynomial(d, f, 0x1.00000000003d2p0, -0x1.ffffffffbe94ep-2, 0x1.5555555191743p-2, -0x1.0000004a692d7p-2,
                      0x1.99999eb52a0abp-3, -0x1.5555271e49d97p-3, 0x1.2490f1832168bp-3, -0x1.0005a3607488fp-3,
                      0x1.c7737f21fde3ep-4, -0x1.99151feb20f1cp-4, 0x1.6ec333b6e33p-4, -0x1.54aea122c9debp-4,
                      0x1.666aa6302fb3fp-4, -0x1.5ad81ea89aee3p-4, 0x1.5e07203fdaa55p-5);
  V logarithm = multiply_add(d, f, slope, product(k, Set(d, 0x1.62e42fefa39efp-1)));
  const auto regular = And(Gt(x, Zero(d)), Lt(x, infinity));
  logarithm = IfThenElse(regular, logarithm, IfThenElse(Eq(x, Zero(d)), Neg(infinity), x));
  const V result = short_exponential(d, limit(d, product(y, logarithm), -120.0, 120.0));
  return IfThenElse(Lt(result, Set(d, 0x1.ffffffp+127)), result, IfThenElse(Eq(result, result), infinity, result));
}

}  // namespace detail

// As the C function pow, special values included.
template <class D, class V>
HWY_INLINE constexpr V power(D d, V x, V y) {
  if constexpr (is_emulated<D> || (detail::takes_f32<D> && one_by_one<D>))
    return each_lane([](auto one, auto a, auto b) { return power(one, a, b); }, d, x, y);
  using T = TFromD<D>;
  const V one = Set(d, T(1)), infinity = Set(d, ieee::infinity<T>);
  const V magnitude = Abs(x);
  V result = x;
  if constexpr (detail::takes_f32<D>)
    result = detail::in_f64(
        d, [](auto wide, auto a, auto b) { return detail::positive_power_of_f32(wide, a, b); }, magnitude, y);
  else
    result = detail::positive_power(d, magnitude, y);

  const V half = product(y, Set(d, T(0.5)));
  const auto whole = Eq(round_nearest_even(d, y), y);
  const auto odd = And(whole, Not(Eq(round_nearest_even(d, half), half)));
  result = IfThenElse(And(Eq(magnitude, one), Eq(y, y)), one, result);
  result = Xor(result, IfThenElseZero(odd, sign_of(d, x)));
  const auto undefined = And(And(Lt(x, Zero(d)), Lt(magnitude, infinity)), Not(Or(whole, Not(Eq(y, y)))));
  result = IfThenElse(undefined, Set(d, ieee::nan<T>), result);
  return IfThenElse(Or(Eq(x, one), Eq(y, Zero(d))), one, result);
}

// Integers wrap around; to a negative power only 1 and -1 are not 0.
template <class D, class V>
HWY_INLINE V whole_power(D d, V base, V exponent) {
  const hn::RebindToUnsigned<D> u;
  const V one = hn::Set(d, hn::TFromD<D>(1));
  const auto lowest = hn::Set(u, 1), none = hn::Zero(u);
  const auto bits = hn::BitCast(u, exponent);
  auto rest = bits;
  V result = one;
  if constexpr (std::is_signed_v<hn::TFromD<D>>) {
    const auto negative = hn::Lt(exponent, hn::Zero(d)), is_unit = hn::Eq(base, hn::Set(d, hn::TFromD<D>(-1)));
    // Only the sign of the rest depends on the exponent, and of that on whether it is odd.
    result = hn::IfThenElse(hn::And(negative, hn::Not(hn::Or(hn::Eq(base, one), is_unit))), hn::Zero(d), one);
    rest = hn::IfThenElse(hn::RebindMask(u, negative), hn::And(bits, lowest), bits);
  }
  for (V factor = base; !hn::AllFalse(u, hn::Ne(rest, none)); factor = hn::Mul(factor, factor)) {
    const auto odd = hn::RebindMask(d, hn::Ne(hn::And(rest, lowest), none));
    result = hn::IfThenElse(odd, hn::Mul(result, factor), result);
    rest = hn::ShiftRight<1>(rest);
  }
  return result;
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
