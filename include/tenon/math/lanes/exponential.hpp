// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exact.hpp>

#include <type_traits>

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
  // Up to this magnitude of x the power of two nearest to e^x is a normal number.
  static constexpr float usual = 87.0f;
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
  static constexpr double lowest = -746.0, highest = 710.0, usual = 708.0;
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

// x = k log(2) + high - k log_2_low, where |r| <= log(2) / 2 is the rounded difference of the last two. Returns r, and
// k + bias as the last bits of `anchored`.
template <class D, class V>
HWY_INLINE constexpr V reduce_exponential(D d, V x, V& anchored, V& k, V& high) {
  using T = TFromD<D>;
  using constants = exponential_constants<T>;
  constexpr T anchor = integer_anchor<T> + T(ieee::layout<T>::bias);
  anchored = multiply_add(d, x, Set(d, constants::log2_e), Set(d, anchor));
  k = Sub(anchored, Set(d, anchor));
  high = negative_multiply_add(d, k, Set(d, constants::log_2_high), x);
  return negative_multiply_add(d, k, Set(d, constants::log_2_low), high);
}

// The integer in the last bits of `anchored`, plus the bias once more: k + 2 bias.
template <class D, class V>
HWY_INLINE constexpr Vec<bits_tag<D>> anchored_exponent(D, V anchored) {
  using T = TFromD<D>;
  const bits_tag<D> db;
  constexpr ieee::bits_of<T> bias = ieee::layout<T>::bias;
  return Sub(BitCast(db, anchored), Set(db, ieee::bits_of<T>(ieee::to_bits(integer_anchor<T>) - bias)));
}

// The same r; e^r = 1 + r + tail; exponent = k + 2 bias.
template <class D, class V, class B>
HWY_INLINE constexpr V reduce_exponential(D d, V x, V& tail, B& exponent) {
  using constants = exponential_constants<TFromD<D>>;
  V anchored = x, k = x, high = x;
  const V r = reduce_exponential(d, x, anchored, k, high);
  exponent = anchored_exponent(d, anchored);
  const V r_low = negative_multiply_add(d, k, Set(d, constants::log_2_low), Sub(high, r));
  tail = multiply_add(d, product(r, r), constants::remainder(d, r), multiply_add(d, r, r_low, r_low));
  return r;
}

// e^x = 2^k (1 + r + ...): returns the factor, and k + bias as the last bits of `anchored`.
template <class D, class V>
HWY_INLINE constexpr V exponential_factor(D d, V x, V& anchored) {
  using T = TFromD<D>;
  V k = x, high = x;
  const V r = reduce_exponential(d, x, anchored, k, high);
  return Add(Set(d, T(1)), multiply_add(d, product(r, r), exponential_constants<T>::remainder(d, r), r));
}

// For x whose result is normal.
template <class D, class V>
HWY_INLINE constexpr V usual_exponential(D d, V x) {
  V anchored = x;
  const V factor = exponential_factor(d, x, anchored);
  return product(factor, power_of_two(d, BitCast(bits_tag<D>(), anchored)));
}

// For any x, with a result that may be infinite or subnormal.
template <class D, class V>
HWY_NOINLINE constexpr V any_exponential(D d, V x) {
  using constants = exponential_constants<TFromD<D>>;
  V anchored = x;
  const V factor = exponential_factor(d, limit(d, x, constants::lowest, constants::highest), anchored);
  return scale(d, factor, anchored_exponent(d, anchored));
}

}  // namespace detail

template <class D, class V>
HWY_INLINE constexpr V exponential(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return exponential(one, a); }, d, x);
  using constants = detail::exponential_constants<TFromD<D>>;
  const auto is_usual = Le(Abs(x), Set(d, constants::usual));
  if (!AllTrue(d, is_usual)) [[unlikely]] {
    if constexpr (!is_one_lane<D>) {
      // Most others are far away, such as the scores that a mask has taken out.
      const auto vanishes = Lt(x, Set(d, constants::lowest)), overflows = Gt(x, Set(d, constants::highest));
      if (AllTrue(d, Or(is_usual, Or(vanishes, overflows)))) {
        const V result = detail::usual_exponential(d, limit(d, x, -constants::usual, constants::usual));
        const V infinity = Set(d, ieee::infinity<TFromD<D>>);
        return IfThenElse(overflows, infinity, IfThenElse(vanishes, Zero(d), result));
      }
    }
    return detail::any_exponential(d, x);
  }
  return detail::usual_exponential(d, x);
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

namespace detail {

// 1 / (1 + z), or z / (1 + z) where `swapped`, of z = 2^k e^r, where scaled(y) = 2^k y.
template <class D, class V, class M, class Scaled>
HWY_INLINE constexpr V logistic_of(D d, V r, M swapped, Scaled scaled) {
  using T = TFromD<D>;
  V low = r, error = r;
  const V one = Set(d, T(1));
  const V high = ordered_sum(one, multiply_add(d, product(r, r), exponential_constants<T>::remainder(d, r), r), low);
  const V denominator = ordered_sum(one, scaled(high), error);
  const V result =
      quotient(d, IfThenElse(swapped, high, one), IfThenElseZero(swapped, low), denominator, Add(error, scaled(low)));
  return IfThenElse(swapped, scaled(result), result);
}

template <class D, class V>
HWY_NOINLINE constexpr V any_logistic(D d, V x) {
  using T = TFromD<D>;
  V anchored = x, k = x, high = x;
  const V limited = limit(d, Neg(Abs(x)), exponential_constants<T>::lowest, T(0));
  const V r = reduce_exponential(d, limited, anchored, k, high);
  const auto exponent = anchored_exponent(d, anchored);
  return logistic_of(d, r, Lt(x, Zero(d)), [&](V y) { return scale(d, y, exponent); });
}

}  // namespace detail

// 1 / (1 + e^-x); e^x / (1 + e^x) where that would overflow too early.
template <class D, class V>
HWY_INLINE constexpr V logistic(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return logistic(one, a); }, d, x);
  const V magnitude = Abs(x);
  // Within these even the error of the smallest result is a normal number.
  if (!AllTrue(d, Le(magnitude, Set(d, TFromD<D>(32))))) [[unlikely]]
    return detail::any_logistic(d, x);
  V anchored = x, k = x, high = x;
  const V r = detail::reduce_exponential(d, Neg(magnitude), anchored, k, high);
  const V power = power_of_two(d, BitCast(bits_tag<D>(), anchored));
  return detail::logistic_of(d, r, Lt(x, Zero(d)), [&](V y) { return product(y, power); });
}

namespace detail {

// Below 9/10 x plus x^3 times a polynomial in x^2, from there on 1 - 2 / (e^2x + 1).
template <class D, class V>
HWY_INLINE constexpr V tanh_of_f32(D d, V x) {
  using constants = exponential_constants<float>;
  const V size = limit(d, Abs(x), 0.0f, constants::highest_tanh), one = Set(d, 1.0f);
  const V square = product(size, size);
  const V bend = polynomial(d, square, -0x1.555554p-2f, 0x1.111064p-3f, -0x1.b9eb5cp-5f, 0x1.63bap-6f, -0x1.11136cp-7f,
                            0x1.584eecp-9f, -0x1.e74f18p-12f);
  const V inner = multiply_add(d, product(size, square), bend, size);
  V anchored = x, k = x, high = x;
  const V r = reduce_exponential(d, Add(size, size), anchored, k, high);
  const V growth = multiply_add(
      d, product(r, r), polynomial(d, r, 0x1p-1f, 0x1.5554d8p-3f, 0x1.555516p-5f, 0x1.12106cp-7f, 0x1.6d1606p-10f), r);
  const V power = power_of_two(d, BitCast(bits_tag<D>(), anchored));
  const V outer = Sub(one, Div(Set(d, 2.0f), multiply_add(d, growth, power, Add(power, one))));
  return CopySign(IfThenElse(Lt(size, Set(d, 0.9f)), inner, outer), x);
}

}  // namespace detail

template <class D, class V>
HWY_INLINE constexpr V tanh(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return tanh(one, a); }, d, x);
  using T = TFromD<D>;
  if constexpr (std::is_same_v<T, float>) return detail::tanh_of_f32(d, x);
  // (e^2x - 1) / (e^2x + 1)
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
