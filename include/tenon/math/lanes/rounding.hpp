// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exact.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

// The remainder of finite |x| >= |y| > 0 by long division, some bits at a time.
template <binary_float T>
constexpr T remainder_of_large(T x, T y) {
  using layout = ieee::layout<T>;
  constexpr int stored = layout::precision - 1, step = 64 - layout::precision;
  const auto significand = [](T value) {
    const std::uint64_t bits = ieee::to_bits(ieee::magnitude(value));
    const std::uint64_t fraction = bits & ((std::uint64_t(1) << stored) - 1);
    return bits == fraction ? fraction : fraction | (std::uint64_t(1) << stored);
  };
  const auto exponent = [](T value) {
    const int field = int(ieee::to_bits(ieee::magnitude(value)) >> stored);
    return field == 0 ? 1 : field;
  };
  const std::uint64_t divisor = significand(y);
  std::uint64_t rest = significand(x) % divisor;
  for (int left = exponent(x) - exponent(y); left > 0; left -= step)
    rest = (rest << (left < step ? left : step)) % divisor;
  if (rest == 0) return ieee::with_sign_of(T(0), x);
  // Back to a float with the exponent of y, in steps that stay exact.
  int field = exponent(y);
  while (rest >> stored == 0 && field > 1) rest <<= 1, --field;
  const std::uint64_t bits = rest >> stored == 0 ? rest : rest + (std::uint64_t(field - 1) << stored);
  return ieee::with_sign_of(ieee::from_bits<T>(ieee::bits_of<T>(bits)), x);
}

}  // namespace detail

namespace lanes {

template <class D, class V>
HWY_INLINE constexpr V abs(D, V x) {
  return Abs(x);
}

// NaN and zeros are their own sign.
template <class D, class V>
HWY_INLINE constexpr V sign(D d, V x) {
  const V one = Set(d, TFromD<D>(1));
  return IfThenElse(Gt(Abs(x), Zero(d)), CopySign(one, x), x);
}

template <class D, class V>
HWY_INLINE constexpr V round_nearest_even(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return round_nearest_even(one, a); }, d, x);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  if constexpr (!is_one_lane<D>) return Round(x);
#endif
  using T = TFromD<D>;
  // From here on there are no fractions, and adding it rounds to whole numbers.
  const V whole = Set(d, ieee::power_of_two<T>(ieee::layout<T>::precision - 1));
  const V magnitude = Abs(x);
  return CopySign(IfThenElse(Lt(magnitude, whole), Sub(Add(magnitude, whole), whole), magnitude), x);
}

template <class D, class V>
HWY_INLINE constexpr V round_nearest_afz(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return round_nearest_afz(one, a); }, d, x);
  using T = TFromD<D>;
  const V magnitude = Abs(x);
  const V nearest = round_nearest_even(d, magnitude);
  const auto tie_below = Eq(Sub(magnitude, nearest), Set(d, T(0.5)));
  return CopySign(IfThenElse(tie_below, Add(nearest, Set(d, T(1))), nearest), x);
}

template <class D, class V>
HWY_INLINE constexpr V floor(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return floor(one, a); }, d, x);
  const V nearest = round_nearest_even(d, x);
  return CopySign(IfThenElse(Gt(nearest, x), Sub(nearest, Set(d, TFromD<D>(1))), nearest), x);
}

template <class D, class V>
HWY_INLINE constexpr V ceil(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return ceil(one, a); }, d, x);
  const V nearest = round_nearest_even(d, x);
  return CopySign(IfThenElse(Lt(nearest, x), Add(nearest, Set(d, TFromD<D>(1))), nearest), x);
}

// x - y trunc(x / y), exactly.
template <class D, class V>
HWY_INLINE constexpr V remainder(D d, V x, V y) {
  if constexpr (is_emulated<D>)
    return each_lane([](auto one, auto a, auto b) { return remainder(one, a, b); }, d, x, y);
  using T = TFromD<D>;
  using layout = ieee::layout<T>;
  const V a = Abs(x), b = Abs(y), infinity = Set(d, ieee::infinity<T>);
  const V ratio = Div(a, b);
  const V whole = floor(d, ratio);
  // The quotient may have been rounded up to the next whole number: then the rest is negative.
  V low = x;
  const V high = exact_product(d, whole, b, low);
  V rest = Sub(Sub(a, high), low);
  rest = IfThenElse(Lt(rest, Zero(d)), Add(rest, b), rest);
  const auto valid = And(Lt(a, infinity), Gt(b, Zero(d)));
  const auto easy = And(Lt(ratio, Set(d, ieee::power_of_two<T>(layout::precision - 1))),
                        Lt(a, Set(d, ieee::power_of_two<T>(layout::bias))));
  rest = for_lanes(d, And(valid, Not(Or(easy, Lt(a, b)))), rest, a, b, [](T dividend, T divisor) {
    return ieee::is_nan(divisor) ? divisor : math::detail::remainder_of_large(dividend, divisor);
  });
  rest = IfThenElse(Lt(a, b), a, rest);
  return IfThenElse(valid, CopySign(rest, x), Set(d, ieee::nan<T>));
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
