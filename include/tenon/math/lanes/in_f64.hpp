// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of f32 computed in f64: they need no tricks to keep their digits, and the polynomials are short, as the
// result is rounded to f32. It is then the nearest f32, but where the exact one is almost halfway between two.

#include <tenon/math/lanes/exact.hpp>
#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/lanes/logarithm.hpp>

#include <type_traits>

namespace tenon::inline HWY_NAMESPACE::math::lanes {

// Whether vectors of D are taken apart: those of f32 where there are none of f64, and emulated ones.
template <class D>
inline constexpr bool one_by_one = !is_one_lane<D> && (has_emulated_lanes || !has_lanes<double>);

namespace detail {

template <class D>
inline constexpr bool takes_f32 = std::is_same_v<TFromD<D>, float>;

// f(tag, x...) of f32 widened to f64, in two halves where one vector has no room for all of them.
template <class D, class F, class V, class... Vs>
HWY_INLINE constexpr V in_f64(D d, F f, V x, Vs... y) {
  if constexpr (MaxLanes(D()) <= MaxLanes(hn::ScalableTag<double>()) || is_one_lane<D>) {
    const Rebind<double, D> wide;
    return DemoteTo(d, f(wide, PromoteTo(wide, x), PromoteTo(wide, y)...));
  } else {
    const hn::Half<D> half;
    const Rebind<double, hn::Half<D>> wide;
    const auto lower = f(wide, PromoteTo(wide, LowerHalf(half, x)), PromoteTo(wide, LowerHalf(half, y))...);
    const auto upper = f(wide, PromoteTo(wide, UpperHalf(half, x)), PromoteTo(wide, UpperHalf(half, y))...);
    return Combine(d, DemoteTo(half, upper), DemoteTo(half, lower));
  }
}

// e^x to 34 bits, for |x| < 700.
template <class D, class V>
HWY_INLINE constexpr V short_exponential(D d, V x) {
  using constants = exponential_constants<double>;
  constexpr double anchor = integer_anchor<double> + ieee::layout<double>::bias;
  const V anchored = multiply_add(d, x, Set(d, constants::log2_e), Set(d, anchor));
  const V r = negative_multiply_add(d, Sub(anchored, Set(d, anchor)), Set(d, 0x1.62e42fefa39efp-1), x);
  const V factor =
      long_polynomial(d, r, 0x1.ffffffffa65c7p-1, 0x1.fffffffff60b8p-1, 0x1.0000005d1883bp-1, 0x1.5555557eb07e9p-3,
                      0x1.555463a9ca599p-5, 0x1.1110a5b46901ap-7, 0x1.6da820aa9c18cp-10, 0x1.a17ea987d8dd3p-13);
  return product(factor, power_of_two(d, BitCast(bits_tag<D>(), anchored)));
}

// k log(2) + log(1 + f) to 33 bits, next to 1 too.
template <class D, class V>
HWY_INLINE constexpr V short_logarithm_of_parts(D d, V k, V f) {
  const V slope =
      long_polynomial(d, f, 0x1.0000000034ca3p+0, -0x1.0000001a7f017p-1, 0x1.555553aa0f98p-2, -0x1.ffffaae30d483p-3,
                      0x1.999a7d48c0d3ap-3, -0x1.5568d22fe61p-3, 0x1.24883dada0ap-3, -0x1.fc599187f3b0ep-4,
                      0x1.c44f7ad7d524cp-4, -0x1.be62fe319e0dfp-4, 0x1.b3ac3b074d2bbp-4, -0x1.dee09d025c21ap-5);
  return multiply_add(d, f, slope, product(k, Set(d, 0x1.62e42fefa39efp-1)));
}

// log(x) likewise, for normal x > 0.
template <class D, class V>
HWY_INLINE constexpr V short_logarithm(D d, V x) {
  auto biased = Zero(bits_tag<D>());
  const V f = Sub(split_exponent(d, x, biased), Set(d, 1.0));
  return short_logarithm_of_parts(d, Sub(to_float(d, biased), Set(d, double(ieee::layout<double>::bias))), f);
}

}  // namespace detail

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
