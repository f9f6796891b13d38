// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exact.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

template <class T>
struct exponential_constants;

template <>
struct exponential_constants<float> {
  // Beyond these e^x is 0 or infinite.
  static constexpr float lowest = -104.0f, highest = 89.0f;
  // Beyond these e^x - 1 is -1, tanh(x) is 1.
  static constexpr float lowest_minus_one = -18.0f, highest_tanh = 10.0f;
  static constexpr float log2_e = 0x1.715476p+0f;
  // log(2) in two parts; the multiples of the first one are exact.
  static constexpr float log_2_high = 0x1.62e4p-1f, log_2_low = 0x1.7f7d1cp-20f;

  // (e^r - 1 - r) / r^2
  template <class D, class V>
  static HWY_INLINE constexpr V remainder(D d, V r) {
    return polynomial(d, r, 0x1p-1f, 0x1.555556p-3f, 0x1.5554f6p-5f, 0x1.111002p-7f, 0x1.6d3ca2p-10f, 0x1.a248acp-13f);
  }
};

template <>
struct exponential_constants<double> {
  static constexpr double lowest = -746.0, highest = 710.0;
  static constexpr double lowest_minus_one = -38.0, highest_tanh = 20.0;
  static constexpr double log2_e = 0x1.71547652b82fep+0;
  static constexpr double log_2_high = 0x1.62e42fefa38p-1, log_2_low = 0x1.ef35793c7673p-45;

  template <class D, class V>
  static HWY_INLINE constexpr V remainder(D d, V r) {
    return polynomial(d, r, 0x1p-1, 0x1.5555555555559p-3, 0x1.5555555555557p-5, 0x1.111111110f642p-7,
                      0x1.6c16c16c156c6p-10, 0x1.a01a01b00fcc5p-13, 0x1.a01a01ab776ddp-16, 0x1.71ddf7e787d81p-19,
                      0x1.27e4d02d161b2p-22, 0x1.af5f7e053198fp-26, 0x1.1f85dbde0c052p-29);
  }
};

// x = k log(2) + r, |r| <= log(2) / 2. Returns r; e^r = 1 + r + tail; exponent = k + 2 bias.
template <class D, class V, class B>
HWY_INLINE constexpr V reduce_exponential(D d, V x, V& tail, B& exponent) {
  using T = TFromD<D>;
  using constants = exponential_constants<T>;
  const bits_tag<D> db;
  constexpr T anchor = integer_anchor<T> + T(2 * ieee::layout<T>::bias);
  const V anchored = multiply_add(d, x, Set(d, constants::log2_e), Set(d, anchor));
  exponent = Sub(BitCast(db, anchored), Set(db, ieee::to_bits(integer_anchor<T>)));
  const V k = Sub(anchored, Set(d, anchor));
  const V high = negative_multiply_add(d, k, Set(d, constants::log_2_high), x);
  const V r = negative_multiply_add(d, k, Set(d, constants::log_2_low), high);
  const V r_low = negative_multiply_add(d, k, Set(d, constants::log_2_low), Sub(high, r));
  tail = multiply_add(d, product(r, r), constants::remainder(d, r), multiply_add(d, r, r_low, r_low));
  return r;
}

}  // namespace detail

template <class D, class V>
HWY_INLINE constexpr V exponential(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return exponential(one, a); }, d, x);
  using T = TFromD<D>;
  using constants = detail::exponential_constants<T>;
  x = limit(d, x, constants::lowest, constants::highest);
  V tail = x, error = x;
  auto exponent = Zero(bits_tag<D>());
  const V r = detail::reduce_exponential(d, x, tail, exponent);
  const V sum = ordered_sum(Set(d, T(1)), r, error);
  return scale(d, Add(sum, Add(error, tail)), exponent);
}

template <class D, class V>
HWY_INLINE constexpr V exponential_minus_one(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return exponential_minus_one(one, a); }, d, x);
  using T = TFromD<D>;
  using constants = detail::exponential_constants<T>;
  const V limited = limit(d, x, constants::lowest_minus_one, constants::highest);
  V tail = x, error = x, power_error = x;
  auto exponent = Zero(bits_tag<D>());
  const V r = detail::reduce_exponential(d, limited, tail, exponent);
  // 2^k = first * second, and e^x - 1 = second * (first - 1 / second + first * (e^r - 1)).
  auto second_exponent = Zero(bits_tag<D>());
  const V first = split_power_of_two(d, exponent, second_exponent);
  const V second = power_of_two(d, second_exponent);
  const V power = exact_sum(
      first,
      Neg(power_of_two(d, Sub(Set(bits_tag<D>(), ieee::bits_of<T>(2 * ieee::layout<T>::bias)), second_exponent))),
      power_error);
  const V sum = ordered_sum(power, product(first, r), error);
  const V result = product(second, Add(sum, multiply_add(d, first, tail, Add(error, power_error))));
  return CopySign(result, x);
}

// 1 / (1 + e^-x) for all x; e^x / (1 + e^x) where that would overflow too early.
template <class D, class V>
HWY_INLINE constexpr V logistic(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return logistic(one, a); }, d, x);
  using T = TFromD<D>;
  using constants = detail::exponential_constants<T>;
  const bits_tag<D> db;
  const auto negative = Lt(x, Zero(d));
  const V limited = limit(d, Neg(Abs(x)), constants::lowest, T(0));
  V tail = x, error = x, denominator_error = x;
  auto exponent = Zero(db);
  const V r = detail::reduce_exponential(d, limited, tail, exponent);
  // z = e^-|x| = 2^k (high + low)
  V low = x;
  const V sum = ordered_sum(Set(d, T(1)), r, error);
  const V high = ordered_sum(sum, Add(error, tail), low);
  const V denominator = ordered_sum(Set(d, T(1)), scale(d, high, exponent), denominator_error);
  const V denominator_low = Add(denominator_error, scale(d, low, exponent));
  const V result = quotient(d, IfThenElse(negative, high, Set(d, T(1))), IfThenElseZero(negative, low), denominator,
                            denominator_low);
  const auto unscaled = Set(db, ieee::bits_of<T>(2 * ieee::layout<T>::bias));
  return scale(d, result, IfThenElse(RebindMask(db, negative), exponent, unscaled));
}

// (e^2x - 1) / (e^2x + 1)
template <class D, class V>
HWY_INLINE constexpr V tanh(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return tanh(one, a); }, d, x);
  using T = TFromD<D>;
  using constants = detail::exponential_constants<T>;
  const bits_tag<D> db;
  const V magnitude = limit(d, Abs(x), T(0), constants::highest_tanh);
  V tail = x, error = x, power_error = x, denominator_error = x;
  auto exponent = Zero(db);
  const V r = detail::reduce_exponential(d, Add(magnitude, magnitude), tail, exponent);
  // Both sides divided by 2^k.
  const V power = power_of_two(d, Sub(Set(db, ieee::bits_of<T>(3 * ieee::layout<T>::bias)), exponent));
  const V rest = ordered_sum(Set(d, T(1)), Neg(power), power_error);
  V numerator_low = x;
  const V sum = ordered_sum(rest, r, error);
  const V numerator = ordered_sum(sum, Add(tail, Add(error, power_error)), numerator_low);
  const V denominator = exact_sum(numerator, Add(power, power), denominator_error);
  const V result = quotient(d, numerator, numerator_low, denominator, Add(denominator_error, numerator_low));
  return CopySign(result, x);
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
