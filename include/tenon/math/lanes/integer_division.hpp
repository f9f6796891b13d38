// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/integer_lanes.hpp>
#include <tenon/core/lanes.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

// Processors have no vectors of integer divisions. Where the divisor is the same for all lanes, it is inverted once,
// and divided by with a multiplication (divisor_lanes). Otherwise integers of at most 32 bits are divided as floats:
// with e = 2^-50 and a, b of 32 bits in f64 (2^-21, 16 bits, f32), trunc(a * ((1 + e) / b)) is trunc(a / b): a whole
// quotient is not missed, as 1 + e is more than all roundings take away, and any other lies at least 1 / b below the
// next whole number, which (a + b) e does not reach. Integers of 64 bits are divided one by one.
namespace tenon::inline HWY_NAMESPACE::math::lanes {

template <class D>
concept divides_integers =
    std::integral<hn::TFromD<D>> && has_lanes<double> && !has_emulated_lanes && !HWY_HAVE_SCALABLE;

// 1 / divisor for n of as many bits N: n / divisor = (t + ((n - t) >> before)) >> after, where
// t = (n * multiplier) >> N. Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994,
// figure 4.1: with l = ceil(log2 divisor), the multiplier of N + 1 bits is 2^N + multiplier, which exceeds
// 2^(N + l) / divisor by at most 1.
template <std::unsigned_integral T>
struct integer_inverse {
  T multiplier = 0;
  int before = 0, after = 0;

  // @pre divisor is not 0
  constexpr explicit integer_inverse(T divisor) {
    constexpr int bits = 8 * sizeof(T);
    const int l = int(std::bit_width(T(divisor - 1)));
    const T excess = T((l < bits ? T(T(1) << l) : T(0)) - divisor);  // 2^l - divisor, which is less than the divisor
    multiplier = T(shifted_quotient(excess, divisor) + 1);
    before = l > 0 ? 1 : 0;
    after = l > 0 ? l - 1 : 0;
  }

 private:
  // (a << N) / b; Knuth's algorithm D with two digits of 32 bits for N = 64.
  static constexpr T shifted_quotient(T a, T b) {
    if constexpr (sizeof(T) <= 4) {
      return T((std::uint64_t(a) << 8 * sizeof(T)) / b);
    } else {
      const int up = std::countl_zero(b);
      const T divisor = b << up, high = divisor >> 32, low = divisor & 0xFFFFFFFF;
      T remainder = a << up, quotient = 0;
      for (int k = 0; k < 2; ++k) {
        T digit = remainder / high, rest = remainder % high;
        while (rest >> 32 == 0 && (digit >> 32 != 0 || digit * low > rest << 32)) --digit, rest += high;
        remainder = (remainder << 32) - digit * divisor;
        quotient = (quotient << 32) + digit;
      }
      return quotient;
    }
  }
};

namespace detail {

template <class T>
using doubled = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 1, std::int16_t, std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>>,
    std::conditional_t<sizeof(T) == 1, std::uint16_t,
                       std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>>;

// Lanes twice as wide, as many as there are or half of them.
template <class Wide, class D>
using wider_lanes =
    hn::Rebind<Wide, std::conditional_t<(hn::MaxLanes(D()) <= hn::MaxLanes(hn::ScalableTag<Wide>())), D, hn::Half<D>>>;

// f(d, x...) on lanes that are twice as wide, whose low halves are the result.
template <class Wide, class D, class F, class... V>
HWY_INLINE hn::Vec<D> in_wider_integers(D d, F f, V... x) {
  const wider_lanes<Wide, D> wide;
  if constexpr (hn::MaxLanes(D()) == hn::MaxLanes(wider_lanes<Wide, D>())) {
    return hn::BitCast(d, truncate_lanes<D, Wide>(f(wide, hn::PromoteTo(wide, x)...)));
  } else {
    const hn::Half<D> half;
    const auto part = [&](auto... y) HWY_ATTR {
      return hn::BitCast(half, truncate_lanes<hn::Half<D>, Wide>(f(wide, hn::PromoteTo(wide, y)...)));
    };
    return Combine(d, part(UpperHalf(half, x)...), part(LowerHalf(half, x)...));
  }
}

// (a * b) >> N of N bits, b in all lanes the same.
template <class D, class V>
HWY_INLINE V high_product(D d, V a, V b) {
  if constexpr (sizeof(hn::TFromD<D>) == 2) {
    return hn::MulHigh(a, b);
  } else if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const hn::Repartition<std::uint64_t, D> pairs;
    const auto even = hn::BitCast(d, hn::ShiftRight<32>(hn::MulEven(a, b)));
    const auto odd = hn::BitCast(d, hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(pairs, a))), b));
    return hn::OddEven(odd, even);
  } else {
    const hn::Repartition<std::uint32_t, D> halves;
    const auto product = [&](V x, V y) HWY_ATTR { return hn::MulEven(hn::BitCast(halves, x), hn::BitCast(halves, y)); };
    const V a1 = hn::ShiftRight<32>(a), b1 = hn::ShiftRight<32>(b);
    const V middle = hn::Add(product(a1, b), hn::ShiftRight<32>(product(a, b)));
    const V carried = hn::Add(product(a, b1), hn::And(middle, hn::Set(d, 0xFFFFFFFF)));
    return hn::Add(hn::Add(product(a1, b1), hn::ShiftRight<32>(middle)), hn::ShiftRight<32>(carried));
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

// f(a, b) of each lane.
template <class D, class F, class V>
HWY_INLINE V one_by_one(D d, F f, V a, V b) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  HWY_ALIGN hn::TFromD<D> x[lanes], y[lanes];
  hn::Store(a, d, x), hn::Store(b, d, y);
  for (std::size_t i = 0; i < lanes; ++i) x[i] = f(x[i], y[i]);
  return hn::Load(d, x);
}

template <class D, class V>
HWY_INLINE V integer_quotient(D d, V a, V b) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    const auto quotient = [](T x, T y) {
      if (y == 0) return T(-1);
      return std::is_signed_v<T> && y == T(-1) ? T(0 - std::uint64_t(x)) : T(x / y);
    };
    return one_by_one(d, quotient, a, b);
  } else if constexpr (sizeof(T) == 4) {
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

// A divisor that is the same for all lanes. Its magnitude divides that of other numbers.
template <divides_integers D>
class divisor_lanes {
  using T = hn::TFromD<D>;
  using magnitude = std::make_unsigned_t<T>;
  using Magnitudes = hn::RebindToUnsigned<D>;

  hn::Vec<Magnitudes> multiplier_;
  int before_, after_;
  hn::Vec<D> sign_, quotient_by_zero_;  // all bits if the divisor is less than zero, or zero

  static constexpr magnitude magnitude_of(T x) { return x < 0 ? magnitude(magnitude(0) - magnitude(x)) : magnitude(x); }

 public:
  hn::Vec<D> value;

  HWY_INLINE explicit divisor_lanes(T divisor)
      : sign_(hn::Set(D(), divisor < 0 ? T(-1) : T(0))),
        quotient_by_zero_(hn::Set(D(), divisor == 0 ? T(-1) : T(0))),
        value(hn::Set(D(), divisor)) {
    const integer_inverse<magnitude> inverse(divisor == 0 ? magnitude(1) : magnitude_of(divisor));
    multiplier_ = hn::Set(Magnitudes(), inverse.multiplier);
    before_ = inverse.before, after_ = inverse.after;
  }

  HWY_INLINE hn::Vec<D> quotient(hn::Vec<D> a) const {
    const D d;
    const Magnitudes magnitudes;
    auto n = hn::BitCast(magnitudes, a);
    if constexpr (std::is_signed_v<T>) n = hn::BitCast(magnitudes, hn::Abs(a));
    const auto t = detail::high_product(magnitudes, n, multiplier_);
    auto result = hn::BitCast(d, hn::ShiftRightSame(hn::Add(t, hn::ShiftRightSame(hn::Sub(n, t), before_)), after_));
    if constexpr (std::is_signed_v<T>) {
      const auto sign = hn::Xor(sign_, hn::BroadcastSignBit(a));
      result = hn::Sub(hn::Xor(result, sign), sign);
    }
    return hn::Or(result, quotient_by_zero_);
  }
};
// Bytes are divided in 16 bits.
template <divides_integers D>
  requires(sizeof(hn::TFromD<D>) == 1)
class divisor_lanes<D> {
  using wide = detail::doubled<hn::TFromD<D>>;

 public:
  divisor_lanes<detail::wider_lanes<wide, D>> in_16_bits;
  hn::Vec<D> value;

  HWY_INLINE explicit divisor_lanes(hn::TFromD<D> divisor) : in_16_bits(divisor), value(hn::Set(D(), divisor)) {}

  HWY_INLINE hn::Vec<D> quotient(hn::Vec<D> a) const {
    return detail::in_wider_integers<wide>(D(), [&](auto, auto x) HWY_ATTR { return in_16_bits.quotient(x); }, a);
  }
};

// A divisor that is known while compiling: powers of two shift, and all else is a constant.
template <divides_integers D, hn::TFromD<D> Divisor>
class known_divisor {
  using T = hn::TFromD<D>;
  using magnitude = std::make_unsigned_t<T>;
  using Magnitudes = hn::RebindToUnsigned<D>;
  static constexpr magnitude size = Divisor < 0 ? magnitude(magnitude(0) - magnitude(Divisor)) : magnitude(Divisor);
  static constexpr bool is_power = std::has_single_bit(size);
  static constexpr int bits = is_power ? std::countr_zero(size) : 0;

  static HWY_INLINE hn::Vec<Magnitudes> magnitudes_of(hn::Vec<D> a) {
    if constexpr (std::is_signed_v<T>)
      return hn::BitCast(Magnitudes(), hn::Abs(a));
    else
      return a;
  }
  // With the sign of a, or where `Turned` the other one.
  template <bool Turned>
  static HWY_INLINE hn::Vec<D> with_sign(hn::Vec<Magnitudes> n, hn::Vec<D> a) {
    const auto result = hn::BitCast(D(), n);
    if constexpr (!std::is_signed_v<T>) {
      return result;
    } else {
      auto sign = hn::BroadcastSignBit(a);
      if constexpr (Turned) sign = hn::Not(sign);
      return hn::Sub(hn::Xor(result, sign), sign);
    }
  }

 public:
  hn::Vec<D> value = hn::Set(D(), Divisor);

  HWY_INLINE hn::Vec<D> quotient(hn::Vec<D> a) const {
    if constexpr (Divisor == 0) {
      return hn::Set(D(), T(-1));
    } else if constexpr (sizeof(T) == 1) {
      using wide = detail::doubled<T>;
      return detail::in_wider_integers<wide>(
          D(), [](auto tag, auto x) HWY_ATTR { return known_divisor<decltype(tag), wide(Divisor)>().quotient(x); }, a);
    } else {
      auto n = magnitudes_of(a);
      if constexpr (is_power) {
        n = hn::ShiftRight<bits>(n);
      } else {
        constexpr integer_inverse<magnitude> inverse(size);
        const auto t = detail::high_product(Magnitudes(), n, hn::Set(Magnitudes(), inverse.multiplier));
        n = hn::ShiftRight<inverse.after>(hn::Add(t, hn::ShiftRight<inverse.before>(hn::Sub(n, t))));
      }
      return with_sign<(Divisor < 0)>(n, a);
    }
  }
  HWY_INLINE hn::Vec<D> remainder(hn::Vec<D> a) const {
    if constexpr (Divisor == 0) {
      return a;
    } else if constexpr (sizeof(T) == 1) {
      using wide = detail::doubled<T>;
      return detail::in_wider_integers<wide>(
          D(), [](auto tag, auto x) HWY_ATTR { return known_divisor<decltype(tag), wide(Divisor)>().remainder(x); }, a);
    } else if constexpr (is_power) {
      return with_sign<false>(hn::And(magnitudes_of(a), hn::Set(Magnitudes(), magnitude(size - 1))), a);
    } else {
      return hn::Sub(a, hn::Mul(value, quotient(a)));
    }
  }
};

// The quotient without its fraction; -1 where b is 0, and the lowest number is itself divided by -1.
template <divides_integers D, class V>
HWY_INLINE V divide_integers(D d, V a, V b) {
  return hn::IfThenElse(hn::Eq(b, hn::Zero(d)), hn::Set(d, hn::TFromD<D>(-1)), detail::integer_quotient(d, a, b));
}
template <divides_integers D>
HWY_INLINE hn::Vec<D> divide_integers(D, hn::Vec<D> a, const divisor_lanes<D>& b) {
  return b.quotient(a);
}

template <divides_integers D, hn::TFromD<D> Divisor>
HWY_INLINE hn::Vec<D> divide_integers(D, hn::Vec<D> a, const known_divisor<D, Divisor>& b) {
  return b.quotient(a);
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
template <divides_integers D>
HWY_INLINE hn::Vec<D> remainder_of_integers(D d, hn::Vec<D> a, const divisor_lanes<D>& b) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 1) {
    return detail::in_wider_integers<detail::doubled<T>>(
        d, [&](auto wide, auto x) HWY_ATTR { return remainder_of_integers(wide, x, b.in_16_bits); }, a);
  } else {
    return hn::Sub(a, hn::Mul(b.value, b.quotient(a)));
  }
}
template <divides_integers D, hn::TFromD<D> Divisor>
HWY_INLINE hn::Vec<D> remainder_of_integers(D, hn::Vec<D> a, const known_divisor<D, Divisor>& b) {
  return b.remainder(a);
}

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
