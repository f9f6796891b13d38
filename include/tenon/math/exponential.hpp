// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/exact.hpp>

#include <cmath>

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
  const V anchored = multiply_add(x, Set(d, constants::log2_e), Set(d, anchor));
  exponent = Sub(BitCast(db, anchored), Set(db, ieee::to_bits(integer_anchor<T>)));
  const V k = Sub(anchored, Set(d, anchor));
  const V high = negative_multiply_add(k, Set(d, constants::log_2_high), x);
  const V r = negative_multiply_add(k, Set(d, constants::log_2_low), high);
  const V r_low = negative_multiply_add(k, Set(d, constants::log_2_low), Sub(high, r));
  tail = multiply_add(product(r, r), constants::remainder(d, r), multiply_add(r, r_low, r_low));
  return r;
}

}  // namespace detail

template <class D, class V>
HWY_INLINE constexpr V exponential(D d, V x) {
  using T = TFromD<D>;
  using constants = detail::exponential_constants<T>;
  x = IfThenElse(Lt(x, Set(d, constants::lowest)), Set(d, constants::lowest), x);
  x = IfThenElse(Gt(x, Set(d, constants::highest)), Set(d, constants::highest), x);
  V tail = x, error = x;
  auto exponent = Zero(bits_tag<D>());
  const V r = detail::reduce_exponential(d, x, tail, exponent);
  const V sum = ordered_sum(Set(d, T(1)), r, error);
  return scale(d, Add(sum, Add(error, tail)), exponent);
}

}  // namespace lanes

template <binary_float T>
constexpr T exponential(T x) {
  return lanes::exponential(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
}

template <binary_float T>
constexpr T exponential_minus_one(T x) {
  return std::expm1(x);
}

template <binary_float T>
constexpr T logistic(T x) {
  return ieee::divide(T(1), ieee::add(T(1), exponential(ieee::negate(x))));
}

template <binary_float T>
constexpr T tanh(T x) {
  return std::tanh(x);
}

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
