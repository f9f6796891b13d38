// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/fixed_point.hpp>
#include <tenon/math/lanes/exact.hpp>
#include <tenon/math/lanes/in_f64.hpp>

#include <cstdint>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace detail {

// The bits of 2 / pi, after two words of zeros.
inline constexpr std::uint32_t two_over_pi[] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

// pi / 2 = first + second + third; the product of an integer below the limit and the first part, taken from a number
// near it, leaves no error.
struct half_pi {
  static constexpr double first = 0x1.921fb54442d18p+0, second = 0x1.1a62633145c07p-54, third = -0x1.f1976b7ed8fbcp-110;
  static constexpr double inverse = 0x1.45f306dc9c883p-1;
  static constexpr double limit = 0x1p+30;
};

struct reduced_angle {
  double quadrant = 0, high = 0, low = 0;
};

// Any finite x >= 2^20: x times a window of 2 / pi that leaves out what adds multiples of 4 (Payne, Hanek).
[[gnu::cold]] constexpr reduced_angle reduce_large_angle(double x) {
  // x = significand * 2^exponent; a bit of weight 2^-j of 2 / pi counts if exponent - j < 2.
  const int exponent = ieee::exponent_of(x) - 52, start = 64 + exponent - 2;
  fixed_point window;
  for (int i = 0; i < fixed_point::fraction_size; ++i) {
    const std::uint32_t* const from = &two_over_pi[start / 32 + i];
    const std::uint64_t pair = (std::uint64_t(from[0]) << 32) | from[1];
    window.digits[fixed_point::fraction_size - 1 - i] = std::uint32_t(pair >> (32 - start % 32));
  }
  // In quarters of a turn, half of one more than wanted.
  fixed_point quarters = window * ieee::detail::scale(x, 2 - exponent) + 0.5;
  const std::uint32_t quadrant = quarters.digits[fixed_point::fraction_size] % 4;
  for (int i = fixed_point::fraction_size; i < fixed_point::size; ++i) quarters.digits[i] = 0;
  const fixed_point rest = quarters - 0.5;
  const double first = rest.value(), second = (rest - first).value();

  using lane = one_lane::lane<double>;
  const one_lane::tag<double> d;
  lane error{}, low{};
  const lane high = lanes::exact_product(d, lane{first}, lane{half_pi::first}, error);
  error = lanes::multiply_add(d, lane{first}, lane{half_pi::second}, error);
  error = lanes::multiply_add(d, lane{second}, lane{half_pi::first}, error);
  const lane sum = lanes::ordered_sum(high, error, low);
  return {double(quadrant), sum.raw, low.raw};
}

}  // namespace detail

namespace lanes {

namespace detail {

using math::detail::half_pi;

// The multiples up to 4 of the first part are exact.
template <class T>
struct quarter_pi;
template <>
struct quarter_pi<float> {
  static constexpr float high = 0x1.921fb8p-1f, low = -0x1.5dde98p-24f;
};
template <>
struct quarter_pi<double> {
  static constexpr double high = 0x1.921fb54442d18p-1, low = 0x1.1a62633145c07p-55;
};

template <class T>
struct trigonometric_constants;

template <>
struct trigonometric_constants<float> {
  // (atan(t) - t) / t^3, in the square of t
  template <class D, class V>
  static HWY_INLINE constexpr V arctangent_remainder(D d, V square) {
    return polynomial(d, square, -0x1.55554ap-2f, 0x1.9991e4p-3f, -0x1.23b9dp-3f, 0x1.b226dp-4f, -0x1.f2efe4p-5f);
  }
};

template <>
struct trigonometric_constants<double> {
  // (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4, in the square of r
  template <class D, class V>
  static HWY_INLINE constexpr V sine_remainder(D d, V square) {
    return polynomial(d, square, -0x1.5555555555549p-3, 0x1.111111110f89dp-7, -0x1.a01a019c14453p-13,
                      0x1.71de3579143ddp-19, -0x1.ae5e66c2bd591p-26, 0x1.5d930a6812b06p-33);
  }
  template <class D, class V>
  static HWY_INLINE constexpr V cosine_remainder(D d, V square) {
    return polynomial(d, square, 0x1.555555555554cp-5, -0x1.6c16c16c15218p-10, 0x1.a01a019cbe2f1p-16,
                      -0x1.27e4f8118b59fp-22, 0x1.1ee9f05b882f4p-29, -0x1.8fb09d8ebf81fp-37);
  }
  template <class D, class V>
  static HWY_INLINE constexpr V arctangent_remainder(D d, V square) {
    return polynomial(d, square, -0x1.555555555553dp-2, 0x1.9999999995888p-3, -0x1.24924922ae4bdp-3,
                      0x1.c71c70e66a07p-4, -0x1.745cf8e56a315p-4, 0x1.3b11199f4df38p-4, -0x1.10ebbca472c19p-4,
                      0x1.df0f7493cdb38p-5, -0x1.9cd311eef74e5p-5, 0x1.37d57be207abep-5, -0x1.2567d65382922p-6);
  }
};

template <class V>
struct large_angles {
  V high, low, anchored;
};
// Reduces the lanes that are too large for three parts of pi / 2. A function that is called: it would take the
// registers of the loop.
template <class D, class V>
HWY_NOINLINE constexpr large_angles<V> reduce_large_angles(D d, V magnitude, const large_angles<V>& all) {
  using T = TFromD<D>;
  HWY_ALIGN T angles[MaxLanes(D())] = {}, highs[MaxLanes(D())] = {}, lows[MaxLanes(D())] = {},
              quadrants[MaxLanes(D())] = {};
  Store(magnitude, d, angles);
  Store(all.high, d, highs);
  Store(all.low, d, lows);
  Store(all.anchored, d, quadrants);
  for (std::size_t i = 0; i < Lanes(d); ++i) {
    if (!ieee::is_finite(angles[i]) || angles[i] < half_pi::limit) continue;
    const auto reduced = math::detail::reduce_large_angle(angles[i]);
    highs[i] = reduced.high;
    lows[i] = reduced.low;
    quadrants[i] = reduced.quadrant + integer_anchor<T>;
  }
  return {Load(d, highs), Load(d, lows), Load(d, quadrants)};
}

// |x| = quadrant pi / 2 + r + low with |r| <= pi / 4, or little more; returns r. The quadrant stands in the last two
// bits of an integer vector.
template <class D, class V, class B>
HWY_INLINE constexpr V reduce_angle(D d, V x, V& low, B& quadrant) {
  using T = TFromD<D>;
  using constants = half_pi;
  const bits_tag<D> db;
  const V magnitude = Abs(x);
  V anchored = multiply_add(d, magnitude, Set(d, constants::inverse), Set(d, integer_anchor<T>));
  const V k = Sub(anchored, Set(d, integer_anchor<T>));
  V first_error = x, second_error = x, sum_error = x;
  const V first = exact_product(d, k, Set(d, constants::first), first_error);
  const V coarse = Sub(Sub(magnitude, first), first_error);
  const V second = exact_product(d, k, Set(d, constants::second), second_error);
  const V sum = exact_sum(coarse, Neg(second), sum_error);
  const V rest = negative_multiply_add(d, k, Set(d, constants::third), Sub(sum_error, second_error));
  V r = ordered_sum(sum, rest, low);

  if (!AllFalse(d, Ge(magnitude, Set(d, constants::limit)))) {
    const large_angles<V> all = reduce_large_angles(d, magnitude, {r, low, anchored});
    r = all.high, low = all.low, anchored = all.anchored;
  }
  quadrant = BitCast(db, anchored);
  return r;
}

// sin(r + low) = r + sine_tail, cos(r + low) = cosine + cosine_tail
template <class D, class V>
HWY_INLINE constexpr V sine_and_cosine(D d, V r, V low, V& sine_tail, V& cosine_tail) {
  using T = TFromD<D>;
  using constants = trigonometric_constants<T>;
  const V square = product(r, r);
  const V half_square = product(square, Set(d, T(0.5)));
  sine_tail = multiply_add(d, product(r, square), constants::sine_remainder(d, square),
                           negative_multiply_add(d, low, half_square, low));
  V error = r;
  const V cosine = ordered_sum(Set(d, T(1)), Neg(half_square), error);
  // The rounding error of the square counts half.
  error = negative_multiply_add(d, product_error(d, r, r, square), Set(d, T(0.5)), error);
  cosine_tail = multiply_add(d, product(square, square), constants::cosine_remainder(d, square),
                             negative_multiply_add(d, r, low, error));
  return cosine;
}

// Whether the last bit is set.
template <class D, class B>
HWY_INLINE constexpr auto is_odd(D d, B integer) {
  const bits_tag<D> db;
  const B one = Set(db, ieee::bits_of<TFromD<D>>(1));
  return RebindMask(d, Eq(And(integer, one), one));
}

// The second last bit as the sign of zero.
template <class D, class B>
HWY_INLINE constexpr Vec<D> second_bit_as_sign(D d, B integer) {
  using T = TFromD<D>;
  return BitCast(d, And(ShiftLeft<sizeof(T) * 8 - 2>(integer), Set(bits_tag<D>(), ieee::sign_bit<T>)));
}

// sin(r) and cos(r) to 37 bits, for |r| <= pi / 4.
template <class D, class V>
HWY_INLINE constexpr void short_sine_and_cosine(D d, V r, V& sine, V& cosine) {
  const V square = product(r, r);
  sine = product(r, polynomial(d, square, 0x1.fffffffff66f5p-1, -0x1.555555493b128p-3, 0x1.111107434ecffp-7,
                               -0x1.a00ee1eeff85p-13, 0x1.6cb5e80d2896dp-19));
  cosine = polynomial(d, square, 0x1.ffffffffffe08p-1, -0x1.ffffffffe34fcp-2, 0x1.5555554464141p-5,
                      -0x1.6c16b2c81e189p-10, 0x1.a00e90634649ap-16, -0x1.23c4a69a0740cp-22);
}

// The functions in f64, given sin and cos of r, where |x| = quadrant pi / 2 + r.
struct sine_of_parts {
  template <class D, class V, class B>
  static HWY_INLINE constexpr V of(D d, V x, V sine, V cosine, B quadrant) {
    return Xor(IfThenElse(is_odd(d, quadrant), cosine, sine), Xor(second_bit_as_sign(d, quadrant), sign_of(d, x)));
  }
};
struct cosine_of_parts {
  template <class D, class V, class B>
  static HWY_INLINE constexpr V of(D d, V, V sine, V cosine, B quadrant) {
    const auto next = Add(quadrant, Set(bits_tag<D>(), ieee::bits_of<double>(1)));
    return Xor(IfThenElse(is_odd(d, quadrant), sine, cosine), second_bit_as_sign(d, next));
  }
};
struct tan_of_parts {
  template <class D, class V, class B>
  static HWY_INLINE constexpr V of(D d, V x, V sine, V cosine, B quadrant) {
    const auto odd = is_odd(d, quadrant);
    const V result = Div(IfThenElse(odd, Neg(cosine), sine), IfThenElse(odd, sine, cosine));
    return Xor(result, sign_of(d, x));
  }
};

// Below this, multiples of the first 33 bits of pi / 2 are exact in f64, and taken from the angle without an error.
inline constexpr float most_reduced_angle = 0x1p+20f;

// Of |x| < most_reduced_angle.
template <class F, class D, class V>
HWY_INLINE constexpr V circular_of_f32(D d, V x) {
  const V magnitude = Abs(x), anchor = Set(d, integer_anchor<double>);
  const V anchored = multiply_add(d, magnitude, Set(d, half_pi::inverse), anchor), k = Sub(anchored, anchor);
  const V r = negative_multiply_add(d, k, Set(d, 0x1.0b4611a626331p-34),
                                    negative_multiply_add(d, k, Set(d, 0x1.921fb544p+0), magnitude));
  V sine = x, cosine = x;
  short_sine_and_cosine(d, r, sine, cosine);
  return F::of(d, x, sine, cosine, BitCast(bits_tag<D>(), anchored));
}

// @pre most_reduced_angle <= |x|, and x is finite
template <class F>
constexpr float circular_of_large(float x) {
  using lane = one_lane::lane<double>;
  const one_lane::tag<double> d;
  const auto reduced = math::detail::reduce_large_angle(ieee::magnitude(x));
  lane sine{}, cosine{};
  short_sine_and_cosine(d, lane{ieee::add(reduced.high, reduced.low)}, sine, cosine);
  const lane quadrant{ieee::add(reduced.quadrant, integer_anchor<double>)};
  return ieee::narrow(
      F::of(d, lane{double(x)}, sine, cosine, BitCast(bits_tag<one_lane::tag<double>>(), quadrant)).raw);
}
template <class F, class D, class V>
HWY_NOINLINE constexpr V with_large_angles(D d, V x, V result) {
  HWY_ALIGN float angles[MaxLanes(D())] = {}, results[MaxLanes(D())] = {};
  Store(x, d, angles);
  Store(result, d, results);
  for (std::size_t i = 0; i < Lanes(d); ++i)
    if (ieee::is_finite(angles[i]) && ieee::magnitude(angles[i]) >= most_reduced_angle)
      results[i] = circular_of_large<F>(angles[i]);
  return Load(d, results);
}
template <class F, class D, class V>
HWY_INLINE constexpr V circular(D d, V x) {
  if constexpr (is_emulated<D> || (takes_f32<D> && one_by_one<D>)) {
    return each_lane([](auto one, auto a) { return circular<F>(one, a); }, d, x);
  } else if constexpr (takes_f32<D>) {
    const V result = in_f64(d, [](auto wide, auto y) { return circular_of_f32<F>(wide, y); }, x);
    if (AllFalse(d, Ge(Abs(x), Set(d, most_reduced_angle)))) return result;
    return with_large_angles<F>(d, x, result);
  } else {
    V low = x, sine_tail = x, cosine_tail = x;
    auto quadrant = Zero(bits_tag<D>());
    const V r = reduce_angle(d, x, low, quadrant), cosine = sine_and_cosine(d, r, low, sine_tail, cosine_tail);
    return F::of(d, x, Add(r, sine_tail), Add(cosine, cosine_tail), quadrant);
  }
}

}  // namespace detail

template <class D, class V>
HWY_INLINE constexpr V sine(D d, V x) {
  return detail::circular<detail::sine_of_parts>(d, x);
}
template <class D, class V>
HWY_INLINE constexpr V cosine(D d, V x) {
  return detail::circular<detail::cosine_of_parts>(d, x);
}

template <class D, class V>
HWY_INLINE constexpr V tan(D d, V x) {
  if constexpr (is_emulated<D> || (detail::takes_f32<D> && one_by_one<D>))
    return each_lane([](auto one, auto a) { return tan(one, a); }, d, x);
  else if constexpr (detail::takes_f32<D>)
    return detail::circular<detail::tan_of_parts>(d, x);
  else {
    V low = x, sine_tail = x, cosine_tail = x, sine_low = x, cosine_low = x;
    auto quadrant = Zero(bits_tag<D>());
    const V r = detail::reduce_angle(d, x, low, quadrant);
    const V whole = detail::sine_and_cosine(d, r, low, sine_tail, cosine_tail);
    const V sine = ordered_sum(r, sine_tail, sine_low);
    const V cosine = ordered_sum(whole, cosine_tail, cosine_low);
    const auto odd = detail::is_odd(d, quadrant);
    const V result = quotient(d, IfThenElse(odd, Neg(cosine), sine), IfThenElse(odd, Neg(cosine_low), sine_low),
                              IfThenElse(odd, sine, cosine), IfThenElse(odd, sine_low, cosine_low));
    return Xor(result, sign_of(d, x));
  }
}

namespace detail {

// The angle between the positive x axis and the point (x, |y|), as result + tail.
template <class D, class V>
HWY_INLINE constexpr V angle_of(D d, V y, V x, V& tail) {
  using T = TFromD<D>;
  using constants = trigonometric_constants<T>;
  using layout = ieee::layout<T>;
  const V one = Set(d, T(1)), infinity = Set(d, ieee::infinity<T>);
  const V a = Abs(y), b = Abs(x);
  const auto steep = Gt(a, b);
  V lesser = IfThenElse(steep, b, a), large = IfThenElse(steep, a, b);
  // Only the ratio matters; keep it where neither sums overflow nor errors underflow.
  const auto infinite = Eq(large, infinity);
  lesser = IfThenElse(infinite, IfThenElseZero(Eq(lesser, infinity), one), lesser);
  large = IfThenElse(Or(infinite, Eq(large, Zero(d))), one, large);
  constexpr int lift = 2 * layout::precision;
  const auto tiny = And(Lt(lesser, Set(d, ieee::power_of_two<T>(lift + 2 - layout::bias))),
                        Lt(large, Set(d, ieee::power_of_two<T>(layout::bias - 3 - lift))));
  const auto huge = Gt(large, Set(d, ieee::power_of_two<T>(layout::bias - 3)));
  const V unit = IfThenElse(tiny, Set(d, ieee::power_of_two<T>(lift)), IfThenElse(huge, Set(d, T(0.125)), one));
  lesser = product(lesser, unit);
  large = product(large, unit);

  // atan(t) = pi / 4 + atan((t - 1) / (t + 1)) beyond tan(pi / 8)
  const auto wide = Gt(lesser, product(large, Set(d, T(0.41421356))));
  V sum_error = x, difference_error = x, error = x, low = x;
  const V sum = ordered_sum(large, lesser, sum_error);
  const V difference = ordered_sum(large, Neg(lesser), difference_error);
  V t = quotient(d, IfThenElse(wide, Neg(difference), lesser), IfThenElseZero(wide, Neg(difference_error)),
                 IfThenElse(wide, sum, large), IfThenElseZero(wide, sum_error), error);
  t = ordered_sum(t, error, low);
  const V square = product(t, t);
  tail = multiply_add(d, product(t, square), constants::arctangent_remainder(d, square),
                      negative_multiply_add(d, low, square, low));

  // Reflected at the diagonal if steep, then at the vertical axis if x < 0: eighths pi / 4 +- the angle so far.
  const auto left = Lt(CopySign(one, x), Zero(d));
  V eighths = IfThenElseZero(wide, one);
  eighths = IfThenElse(steep, Sub(Set(d, T(2)), eighths), eighths);
  eighths = IfThenElse(left, Sub(Set(d, T(4)), eighths), eighths);
  const auto reflected = Xor(steep, left);
  t = IfThenElse(reflected, Neg(t), t);
  tail = IfThenElse(reflected, Neg(tail), tail);
  const V angle = ordered_sum(product(eighths, Set(d, quarter_pi<T>::high)), t, error);
  tail = multiply_add(d, eighths, Set(d, quarter_pi<T>::low), Add(error, tail));
  return angle;
}

}  // namespace detail

// The angle of the point (x, y), from -pi to pi.
template <class D, class V>
HWY_INLINE constexpr V atan2(D d, V y, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto b, auto a) { return atan2(one, b, a); }, d, y, x);
  V tail = x;
  const V angle = detail::angle_of(d, y, x, tail);
  const V result = CopySign(Add(angle, tail), y);
  return IfThenElse(And(Eq(x, x), Eq(y, y)), result, Set(d, ieee::nan<TFromD<D>>));
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
