// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exact.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

template <class T>
struct logarithm_constants;

template <>
struct logarithm_constants<float> {
  static constexpr float root_half = 0x1.6a09e6p-1f;
  static constexpr float log_2_high = 0x1.62e4p-1f, log_2_low = 0x1.7f7d1cp-20f;

  // (log((1 + s) / (1 - s)) - 2 s) / s^3, in the square of s
  template <class D, class V>
  static HWY_INLINE constexpr V remainder(D d, V square) {
    return polynomial(d, square, 0x1.55557ap-1f, 0x1.995ecep-2f, 0x1.31e1f4p-2f);
  }
};

template <>
struct logarithm_constants<double> {
  static constexpr double root_half = 0x1.6a09e667f3bcdp-1;
  static constexpr double log_2_high = 0x1.62e42fefa38p-1, log_2_low = 0x1.ef35793c7673p-45;

  template <class D, class V>
  static HWY_INLINE constexpr V remainder(D d, V square) {
    return polynomial(d, square, 0x1.5555555555593p-1, 0x1.999999997fa52p-2, 0x1.2492494221543p-2, 0x1.c71c51e19f637p-3,
                      0x1.7466473f0c954p-3, 0x1.39a0ddc2fd91bp-3, 0x1.2f0e56aac66a1p-3);
  }
};

// x = 2^k m with sqrt(1/2) <= m < sqrt(2) for normal x > 0. Returns m; biased = k + bias.
template <class D, class V, class B>
HWY_INLINE constexpr V split_exponent(D d, V x, B& biased) {
  using T = TFromD<D>;
  using bits = ieee::bits_of<T>;
  const bits_tag<D> db;
  constexpr int stored = ieee::layout<T>::precision - 1;
  constexpr bits root_half = ieee::to_bits(logarithm_constants<T>::root_half);
  const B shifted = Add(BitCast(db, x), Set(db, bits(ieee::to_bits(T(1)) - root_half)));
  biased = ShiftRight<stored>(shifted);
  return BitCast(d, Add(And(shifted, Set(db, bits((bits(1) << stored) - 1))), Set(db, root_half)));
}

// Small non-negative integers as floats.
template <class D, class B>
HWY_INLINE constexpr Vec<D> to_float(D d, B integer) {
  using T = TFromD<D>;
  constexpr T anchor = ieee::power_of_two<T>(ieee::layout<T>::precision - 1);
  return Sub(BitCast(d, Or(integer, Set(bits_tag<D>(), ieee::to_bits(anchor)))), Set(d, anchor));
}

// k log(2) + log(1 + f) + correction
template <class D, class V>
HWY_INLINE constexpr V logarithm_of_parts(D d, V k, V f, V s, V correction) {
  using T = TFromD<D>;
  using constants = logarithm_constants<T>;
  // log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R)) with s = f / (2 + f)
  const V square = product(s, s);
  const V half_square = product(f, product(f, Set(d, T(0.5))));
  const V inner = multiply_add(d, square, constants::remainder(d, square), half_square);
  const V bent = negative_multiply_add(d, s, inner, half_square);
  V error = f;
  const V sum = ordered_sum(product(k, Set(d, constants::log_2_high)), f, error);
  const V low = multiply_add(d, k, Set(d, constants::log_2_low), Add(error, correction));
  return Add(sum, Sub(low, bent));
}

// The logarithm's values where x, or 1 + x, is not a positive number: -inf at 0, inf at inf, else NaN.
template <class D, class V>
HWY_INLINE constexpr V logarithm_limits(D d, V x, V result) {
  using T = TFromD<D>;
  const V infinity = Set(d, ieee::infinity<T>);
  result = IfThenElse(Lt(x, infinity), result, x);
  result = IfThenElse(Eq(x, Zero(d)), Neg(infinity), result);
  return IfThenElse(Lt(x, Zero(d)), Set(d, ieee::nan<T>), result);
}

}  // namespace detail

template <class D, class V>
HWY_INLINE constexpr V log(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return log(one, a); }, d, x);
  using T = TFromD<D>;
  constexpr int bias = ieee::layout<T>::bias, precision = ieee::layout<T>::precision;
  const auto subnormal = Lt(x, Set(d, ieee::power_of_two<T>(1 - bias)));
  const V normal = IfThenElse(subnormal, product(x, Set(d, ieee::power_of_two<T>(precision))), x);
  auto biased = Zero(bits_tag<D>());
  const V f = Sub(detail::split_exponent(d, normal, biased), Set(d, T(1)));
  const V offset = IfThenElse(subnormal, Set(d, T(bias + precision)), Set(d, T(bias)));
  const V k = Sub(detail::to_float(d, biased), offset);
  const V s = Div(f, Add(f, Set(d, T(2))));
  return detail::logarithm_limits(d, x, detail::logarithm_of_parts(d, k, f, s, Zero(d)));
}

template <class D, class V>
HWY_INLINE constexpr V log_plus_one(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return log_plus_one(one, a); }, d, x);
  using T = TFromD<D>;
  constexpr int bias = ieee::layout<T>::bias, precision = ieee::layout<T>::precision;
  const bits_tag<D> db;
  V rest = x;
  const V y = exact_sum(Set(d, T(1)), x, rest);
  auto biased = Zero(db);
  const V m = detail::split_exponent(d, y, biased);
  const V k = Sub(detail::to_float(d, biased), Set(d, T(bias)));
  // Where no power of two is taken out, x is what the logarithm of one plus f needs, exactly. Elsewhere the rest of
  // 1 + x adds rest / (m 2^k), unless x is so large that it does not matter.
  const auto whole = Eq(k, Zero(d));
  const V f = IfThenElse(whole, x, Sub(m, Set(d, T(1))));
  const V s = Div(f, Add(f, Set(d, T(2))));
  const V scaled = product(rest, power_of_two(d, Sub(Set(db, ieee::bits_of<T>(2 * bias)), biased)));
  const V inverse = negative_multiply_add(d, product(s, Set(d, T(2))), Sub(Set(d, T(1)), s), Set(d, T(1)));
  const V correction =
      IfThenElse(Lt(x, Set(d, ieee::power_of_two<T>(precision + 2))), product(scaled, inverse), Zero(d));
  const V result = detail::logarithm_of_parts(d, k, f, s, IfThenElse(whole, Zero(d), correction));
  return CopySign(detail::logarithm_limits(d, y, result), x);
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
