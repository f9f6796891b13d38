// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers of about twice the digits of an f64, as the sum of two; the functions of complex numbers are computed with
// them, so that their parts stay accurate where terms cancel. Everything here expects finite numbers far from overflow.

#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/lanes/power.hpp>
#include <tenon/math/lanes/trigonometric.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math::detail {

using one_double = one_lane::lane<double>;
inline constexpr one_lane::tag<double> one_tag{};

struct long_float {
  double high = 0, low = 0;

  constexpr long_float() = default;
  constexpr long_float(double value) : high(value) {}
  constexpr long_float(double value, double rest) : high(value), low(rest) {}

  // a + b, exactly.
  static constexpr long_float sum(double a, double b) {
    one_double error;
    const one_double result = lanes::exact_sum(one_double{a}, one_double{b}, error);
    return {result.raw, error.raw};
  }
  // a * b, exactly but for underflow.
  static constexpr long_float product(double a, double b) {
    one_double error;
    const one_double result = lanes::exact_product(one_tag, one_double{a}, one_double{b}, error);
    return {result.raw, error.raw};
  }

  constexpr double value() const { return high + low; }
  constexpr long_float normal() const { return sum(high, low); }

  friend constexpr long_float operator-(long_float a) { return {-a.high, -a.low}; }
  friend constexpr long_float operator+(long_float a, long_float b) {
    const long_float highs = sum(a.high, b.high), lows = sum(a.low, b.low);
    const long_float first = sum(highs.high, highs.low + lows.high);
    return sum(first.high, first.low + lows.low);
  }
  friend constexpr long_float operator-(long_float a, long_float b) { return a + -b; }
  friend constexpr long_float operator*(long_float a, long_float b) {
    const long_float highs = product(a.high, b.high);
    const double cross = ieee::multiply(a.high, b.low) + ieee::multiply(a.low, b.high);
    return sum(highs.high, highs.low + cross);
  }
  friend constexpr long_float operator/(long_float a, long_float b) {
    const double first = a.high / b.high;
    const long_float rest = a - b * first;
    const double second = rest.high / b.high;
    const double third = (rest - b * second).high / b.high;
    return sum(first, second) + third;
  }
  // Times a power of two.
  constexpr long_float scaled(double power) const { return {ieee::multiply(high, power), ieee::multiply(low, power)}; }
};

constexpr long_float square_root(long_float x) {
  if (x.high == 0) return x;
  const double root = ieee::square_root(x.high);
  const long_float rest = x - long_float::product(root, root);
  return long_float::sum(root, rest.high / (2 * root));
}

// x 2^exponent, infinite if that is too large.
constexpr double scale(double x, int exponent) {
  if (x == 0 || !ieee::is_finite(x)) return x;
  if (ieee::exponent_of(x) + exponent > 1023) return ieee::with_sign_of(ieee::infinity<double>, x);
  if (ieee::exponent_of(x) + exponent < -1080) return ieee::with_sign_of(0.0, x);
  return ieee::detail::scale(x, exponent);
}

// value 2^exponent
struct scaled_float {
  long_float value;
  int exponent = 0;

  // Rounded once, also where value * 2^exponent goes below the normal numbers.
  constexpr double rounded() const { return scale(value.value(), exponent); }
};

// x as a number in [1, 2) times a power of two.
constexpr scaled_float split(long_float x) {
  if (x.high == 0) return {x, 0};
  const int exponent = ieee::exponent_of(x.high);
  return {{scale(x.high, -exponent), scale(x.low, -exponent)}, exponent};
}
constexpr scaled_float operator*(scaled_float a, scaled_float b) {
  return {a.value * b.value, a.exponent + b.exponent};
}
constexpr scaled_float operator/(scaled_float a, scaled_float b) {
  return {a.value / b.value, a.exponent - b.exponent};
}

// The sum of numbers that may cancel each other almost wholly.
template <int Count>
constexpr long_float exact_total(double (&terms)[Count]) {
  for (int pass = 1; pass < Count; ++pass)
    for (int i = 1; i < Count; ++i) {
      const long_float sum = long_float::sum(terms[i], terms[i - 1]);
      terms[i] = sum.high;
      terms[i - 1] = sum.low;
    }
  return long_float(terms[Count - 1]) + terms[Count - 2];
}

// e^x for |x| <= 1500
constexpr scaled_float long_exponential(long_float x) {
  one_double tail;
  one_lane::lane<std::uint64_t> exponent;
  const one_double r = lanes::detail::reduce_exponential(one_tag, one_double{x.high}, tail, exponent);
  const long_float value = long_float::sum(1, r.raw) + tail.raw;
  return {value + value * x.low, int(exponent.raw) - 2 * ieee::layout<double>::bias};
}

// e^x - 1 for |x| < 0.34
constexpr long_float long_exponential_minus_one(double x) {
  one_double tail;
  one_lane::lane<std::uint64_t> exponent;
  const one_double r = lanes::detail::reduce_exponential(one_tag, one_double{x}, tail, exponent);
  return long_float::sum(r.raw, tail.raw);
}

// sinh(x) and cosh(x), both divided by 2^exponent, for |x| <= 1500
struct hyperbolic_functions {
  long_float sinh, cosh;
  int exponent = 0;
};
constexpr hyperbolic_functions long_hyperbolic(double x) {
  const double magnitude = ieee::magnitude(x);
  hyperbolic_functions result;
  if (magnitude < 0.34) {
    const long_float growth = long_exponential_minus_one(magnitude);
    result.sinh = (growth + growth / (growth + 1)).scaled(0.5);
    result.cosh = (growth * growth / (growth + 1)).scaled(0.5) + 1;
  } else {
    const scaled_float power = long_exponential(magnitude);
    long_float inverse = 0;
    result.exponent = power.exponent;
    if (magnitude < 40) inverse = (1 / power.value).scaled(ieee::power_of_two<double>(-2 * power.exponent));
    result.sinh = (power.value - inverse).scaled(0.5);
    result.cosh = (power.value + inverse).scaled(0.5);
  }
  if (ieee::is_negative(x)) result.sinh = -result.sinh;
  return result;
}

// sin(x) and cos(x)
struct circular_functions {
  long_float sine, cosine;
};
constexpr circular_functions turned(circular_functions angle, int quadrants) {
  if ((quadrants & 1) != 0) angle = {angle.cosine, -angle.sine};
  return (quadrants & 2) != 0 ? circular_functions{-angle.sine, -angle.cosine} : angle;
}
constexpr circular_functions long_circular(double x) {
  one_double low, sine_tail, cosine_tail;
  one_lane::lane<std::uint64_t> quadrant;
  const one_double r = lanes::detail::reduce_angle(one_tag, one_double{x}, low, quadrant);
  const one_double whole = lanes::detail::sine_and_cosine(one_tag, r, low, sine_tail, cosine_tail);
  const long_float sine = long_float::sum(r.raw, sine_tail.raw), cosine = long_float::sum(whole.raw, cosine_tail.raw);
  circular_functions result = turned({sine, cosine}, int(quadrant.raw % 4));
  if (ieee::is_negative(x)) result.sine = -result.sine;
  return result;
}
constexpr circular_functions long_circular(long_float x) {
  const circular_functions at = long_circular(x.high);
  return {at.sine + at.cosine * x.low, at.cosine - at.sine * x.low};
}

// The same and e^x - 1, to almost all digits of a long_float: slow, for where nearly equal terms are subtracted.
constexpr circular_functions longest_circular(double x) {
  one_double low;
  one_lane::lane<std::uint64_t> quadrant;
  const double magnitude = lanes::detail::reduce_angle(one_tag, one_double{x}, low, quadrant).raw;
  const long_float r(magnitude, low.raw), square = r * r;
  long_float sine = 1, cosine = 1;
  for (int n = 13; n > 0; --n) {
    sine = 1 - square * sine / double(2 * n * (2 * n + 1));
    cosine = 1 - square * cosine / double((2 * n - 1) * 2 * n);
  }
  circular_functions result = turned({r * sine, cosine}, int(quadrant.raw % 4));
  if (ieee::is_negative(x)) result.sine = -result.sine;
  return result;
}
constexpr long_float longest_exponential_minus_one(long_float x) {
  if (ieee::magnitude(x.high) > 0.25) {
    const long_float half = longest_exponential_minus_one(x.scaled(0.5));
    return half * (half + 2);
  }
  long_float sum = 1;
  for (int n = 22; n > 1; --n) sum = 1 + x * sum / double(n);
  return x * sum;
}

// log(x) for x > 0
constexpr long_float long_logarithm(long_float x) {
  one_double low;
  const one_double high = lanes::detail::long_logarithm(one_tag, one_double{x.high}, low);
  return long_float(high.raw, low.raw) + x.low / x.high;
}

// The angle of the point (x, y), from -pi to pi.
constexpr long_float long_angle(double y, double x) {
  one_double tail;
  const one_double angle = lanes::detail::angle_of(one_tag, one_double{y}, one_double{x}, tail);
  const long_float result = long_float::sum(angle.raw, tail.raw);
  return ieee::is_negative(y) ? -result : result;
}

// log(x) for 1 <= x < 2^120, by a power of e that is close to x.
constexpr fixed_point longest_logarithm(const fixed_point& x) {
  const fixed_point log = long_logarithm(x.value()).value(), part = log * 0x1p-14;
  fixed_point power = 1;
  for (int n = 18; n > 0; --n) power = 1 + part * power / n;
  for (int n = 0; n < 14; ++n) power = power * power;
  const fixed_point rest = x / power - 1;
  return log + rest - rest * rest * (0.5 - rest / 3);
}

// log(1 + x) for x >= -1/2
constexpr double logarithm_plus_one(long_float x) {
  const double log = lanes::log_plus_one(one_tag, one_double{x.high}).raw;
  return log + x.low / (1 + x.high);
}

}  // namespace math::detail

}  // namespace tenon::inline HWY_NAMESPACE
