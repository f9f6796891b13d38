// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/integer_lanes.hpp>
#include <tenon/core/lanes.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

// Integers of at most 32 bits are divided as floats: processors have no vectors of integer divisions. With
// e = 2^-50 and a, b of 32 bits in f64 (2^-21, 16 bits, f32), trunc(a * ((1 + e) / b)) is trunc(a / b): a whole
// quotient is not missed, as 1 + e is more than all roundings take away, and any other lies at least 1 / b below the
// next whole number, which (a + b) e does not reach. A divisor that is the same for a whole loop is so inverted once.
namespace tenon::inline HWY_NAMESPACE::math::lanes {

template <class D>
concept divides_integers = std::integral<hn::TFromD<D>> && (sizeof(hn::TFromD<D>) <= 4) && has_lanes<double> &&
                           !has_emulated_lanes && !HWY_HAVE_SCALABLE;

namespace detail {

// f(d, x...) on lanes that are twice as wide, whose low halves are the result.
template <class Wide, class D, class F, class V>
HWY_INLINE V in_wider_integers(D d, F f, V a, V b) {
  if constexpr (hn::MaxLanes(D()) <= hn::MaxLanes(hn::ScalableTag<Wide>())) {
    const hn::Rebind<Wide, D> wide;
    return hn::BitCast(d, truncate_lanes<D, Wide>(f(wide, hn::PromoteTo(wide, a), hn::PromoteTo(wide, b))));
  } else {
    const hn::Half<D> half;
    const hn::Rebind<Wide, hn::Half<D>> wide;
    const auto part = [&](auto x, auto y) HWY_ATTR {
      return hn::BitCast(half,
                         truncate_lanes<hn::Half<D>, Wide>(f(wide, hn::PromoteTo(wide, x), hn::PromoteTo(wide, y))));
    };
    return Combine(d, part(UpperHalf(half, a), UpperHalf(half, b)), part(LowerHalf(half, a), LowerHalf(half, b)));
  }
}

// Integers of 32 bits, in lanes of 64, as f64.
template <class D, class V>
HWY_INLINE auto float_of_integer(D d, V x) {
  const hn::Rebind<double, D> floats;
  // The bits of 2^52 + x, or of 1.5 * 2^52 + x where x has a sign.
  constexpr double anchor = std::is_signed_v<hn::TFromD<D>> ? 0x1.8p52 : 0x1p52;
  const auto anchor_bits = hn::BitCast(d, hn::Set(floats, anchor));
  return hn::Sub(hn::BitCast(floats, hn::Add(anchor_bits, x)), hn::Set(floats, anchor));
}

// The quotient of 32 bits, in the low halves of lanes of 64; of anything where b is 0.
template <class D, class V>
HWY_INLINE V quotient_by_f64(D d, V a, V b) {
  const hn::Rebind<double, D> floats;
  const auto inverse = hn::Div(hn::Set(floats, 1 + 0x1p-50), float_of_integer(d, b));
  const auto quotient = hn::Trunc(hn::Mul(float_of_integer(d, a), inverse));
  return hn::BitCast(d, hn::Add(quotient, hn::Set(floats, 0x1.8p52)));
}
// The quotient of 16 bits, in lanes of 32.
template <class D, class V>
HWY_INLINE V quotient_by_f32(D d, V a, V b) {
  const hn::Rebind<float, D> floats;
  const hn::RebindToSigned<D> whole;
  const auto float_of = [&](V x) HWY_ATTR { return hn::ConvertTo(floats, hn::BitCast(whole, x)); };
  const auto inverse = hn::Div(hn::Set(floats, 1 + 0x1p-21f), float_of(b));
  return hn::BitCast(d, hn::ConvertTo(whole, hn::Mul(float_of(a), inverse)));
}

template <class T>
using doubled = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 1, std::int16_t, std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>>,
    std::conditional_t<sizeof(T) == 1, std::uint16_t,
                       std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>>;

template <class D, class V>
HWY_INLINE V integer_quotient(D d, V a, V b) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 4) {
    return in_wider_integers<doubled<T>>(
        d, [](auto wide, auto x, auto y) HWY_ATTR { return quotient_by_f64(wide, x, y); }, a, b);
  } else if constexpr (sizeof(T) == 2) {
    return in_wider_integers<doubled<T>>(
        d, [](auto wide, auto x, auto y) HWY_ATTR { return quotient_by_f32(wide, x, y); }, a, b);
  } else {
    return in_wider_integers<doubled<T>>(
        d, [](auto wide, auto x, auto y) HWY_ATTR { return integer_quotient(wide, x, y); }, a, b);
  }
}

}  // namespace detail

// The quotient without its fraction; -1 where b is 0, and the lowest number is itself divided by -1.
template <divides_integers D, class V>
HWY_INLINE V divide_integers(D d, V a, V b) {
  return hn::IfThenElse(hn::Eq(b, hn::Zero(d)), hn::Set(d, hn::TFromD<D>(-1)), detail::integer_quotient(d, a, b));
}

// a - b * divide_integers(a, b), which is a where b is 0.
template <divides_integers D, class V>
HWY_INLINE V remainder_of_integers(D d, V a, V b) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 1) {
    return detail::in_wider_integers<detail::doubled<T>>(
        d, [](auto wide, auto x, auto y) HWY_ATTR { return remainder_of_integers(wide, x, y); }, a, b);
  } else {
    return hn::Sub(a, hn::Mul(b, divide_integers(d, a, b)));
  }
}

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
