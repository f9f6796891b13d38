// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/lanes/in_f64.hpp>

#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

// sinh(x) = a cosh(r) + b sinh(r) and cosh(x) = b cosh(r) + a sinh(r), where x = k log(2) + r, a = sinh(k log(2)) and
// b = cosh(k log(2)): near 0 that is sinh(r), and elsewhere nothing is lost.

// For f32, of 0 <= x < 700.
template <class D, class V>
HWY_INLINE constexpr void hyperbolic_of_f32(D d, V x, V& sinh, V& cosh) {
  using constants = exponential_constants<double>;
  const bits_tag<D> db;
  constexpr int bias = ieee::layout<double>::bias;
  constexpr double anchor = integer_anchor<double> + (bias - 1);
  const V anchored = multiply_add(d, x, Set(d, constants::log2_e), Set(d, anchor));
  const V r = negative_multiply_add(d, Sub(anchored, Set(d, anchor)), Set(d, 0x1.62e42fefa39efp-1), x);
  const V square = product(r, r);
  const V even =
      polynomial(d, square, 0x1.ffffffffa639p-1, 0x1.0000005d341d2p-1, 0x1.5554637a052cbp-5, 0x1.6da8485a5e559p-10);
  const V odd = product(r, polynomial(d, square, 0x1.fffffffff6079p-1, 0x1.5555557ebcc0cp-3, 0x1.1110a59f31621p-7,
                                      0x1.a17eccc8b5c05p-13));
  const auto biased = BitCast(db, anchored);
  const V up = power_of_two(d, biased);
  const V down = power_of_two(d, Sub(Set(db, ieee::bits_of<double>(2 * bias - 2)), biased));
  const V a = Sub(up, down), b = Add(up, down);
  sinh = multiply_add(d, a, even, product(b, odd));
  cosh = multiply_add(d, b, even, product(a, odd));
}
template <bool Sinh, class D, class V>
HWY_INLINE constexpr V hyperbolic_of_f32(D d, V x) {
  V sinh = x, cosh = x;
  hyperbolic_of_f32(d, x, sinh, cosh);
  return Sinh ? sinh : cosh;
}

// A quarter of the same for f64, of x >= 0, as result + low.
template <bool Sinh, class D, class V>
HWY_INLINE constexpr V long_hyperbolic(D d, V x, V& low) {
  using constants = exponential_constants<double>;
  const bits_tag<D> db;
  constexpr int bias = ieee::layout<double>::bias;
  // A quarter of the powers stays a number where the result is one. Beyond 64 the lower one does not count.
  constexpr double anchor = integer_anchor<double> + (bias - 3);
  const V limited = limit(d, x, 0.0, 711.0);
  const V anchored = multiply_add(d, limited, Set(d, constants::log2_e), Set(d, anchor));
  const V k = Sub(anchored, Set(d, anchor));
  const V high = negative_multiply_add(d, k, Set(d, constants::log_2_high), limited);
  const V r = negative_multiply_add(d, k, Set(d, constants::log_2_low), high);
  const V r_low = negative_multiply_add(d, k, Set(d, constants::log_2_low), Sub(high, r));
  const V square = product(r, r);
  // cosh(r) - 1 and sinh(r) - r
  const V even = multiply_add(d, square,
                              polynomial(d, square, 0x1p-1, 0x1.5555555555557p-5, 0x1.6c16c16c15a41p-10,
                                         0x1.a01a01a9fa171p-16, 0x1.27e4d3ed3f645p-22, 0x1.1f7f790cdbf45p-29),
                              product(r, r_low));
  const V odd = multiply_add(d, product(r, square),
                             polynomial(d, square, 0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a019697p-13,
                                        0x1.71de3a5ab08aap-19, 0x1.ae642c53ccc1cp-26, 0x1.61c0012414d28p-33),
                             r_low);
  const auto biased = BitCast(db, anchored);
  const V up = power_of_two(d, biased);
  const V down =
      IfThenElseZero(Lt(k, Set(d, 64.0)), power_of_two(d, Sub(Set(db, ieee::bits_of<double>(2 * bias - 6)), biased)));
  const V a = Sub(up, down), b = Add(up, down);
  const V a_low = Sub(Sub(up, a), down), b_low = Add(Sub(up, b), down);
  const V& first = Sinh ? a : b;
  const V& second = Sinh ? b : a;
  const V lows = multiply_add(d, Sinh ? b_low : a_low, r, Sinh ? a_low : b_low);
  V error = x, second_error = x;
  const V times_r = exact_product(d, second, r, second_error);
  const V sum = ordered_sum(first, times_r, error);
  return ordered_sum(
      sum, multiply_add(d, first, even, multiply_add(d, second, odd, Add(Add(error, second_error), lows))), low);
}
template <bool Sinh, class D, class V>
HWY_INLINE constexpr V hyperbolic_of_f64(D d, V x) {
  V low = x;
  return product(long_hyperbolic<Sinh>(d, x, low), Set(d, 4.0));
}

}  // namespace detail

// (e^x - e^-x) / 2
template <class D, class V>
HWY_INLINE constexpr V sinh(D d, V x) {
  if constexpr (one_by_one<D>) {
    return each_lane([](auto one, auto a) { return sinh(one, a); }, d, x);
  } else if constexpr (std::is_same_v<TFromD<D>, float>) {
    const auto f = [](auto wide, auto a) HWY_ATTR { return detail::hyperbolic_of_f32<true>(wide, a); };
    return CopySign(detail::in_f64(d, f, limit(d, Abs(x), 0.0f, 90.0f)), x);
  } else {
    // A quarter of the smallest numbers would lose digits.
    const V result = CopySign(detail::hyperbolic_of_f64<true>(d, Abs(x)), x);
    return IfThenElse(Lt(Abs(x), Set(d, 0x1p-28)), x, result);
  }
}

// (e^x + e^-x) / 2
template <class D, class V>
HWY_INLINE constexpr V cosh(D d, V x) {
  if constexpr (one_by_one<D>) {
    return each_lane([](auto one, auto a) { return cosh(one, a); }, d, x);
  } else if constexpr (std::is_same_v<TFromD<D>, float>) {
    const auto f = [](auto wide, auto a) HWY_ATTR { return detail::hyperbolic_of_f32<false>(wide, a); };
    return detail::in_f64(d, f, limit(d, Abs(x), 0.0f, 90.0f));
  } else {
    return detail::hyperbolic_of_f64<false>(d, Abs(x));
  }
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
