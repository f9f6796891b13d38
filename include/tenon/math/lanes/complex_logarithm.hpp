// SPDX-License-Identifier: Apache-2.0
#pragma once

// The logarithm and the power of complex numbers.

#include <tenon/math/lanes/complex.hpp>
#include <tenon/math/lanes/complex_exponential.hpp>
#include <tenon/math/lanes/complex_root.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/lanes/power.hpp>
#include <tenon/math/lanes/trigonometric.hpp>

namespace tenon::inline HWY_NAMESPACE::math::lanes {

namespace detail {

// The angle of the point (x, y) to 36 bits.
template <class D, class V>
HWY_INLINE constexpr V short_angle(D d, V y, V x) {
  const V a = Abs(y), b = Abs(x), half_turn = Set(d, 0x1.921fb54442d18p+1), quarter = Set(d, 0x1.921fb54442d18p+0);
  const auto steep = Gt(a, b);
  const V t = Div(IfThenElse(steep, b, a), IfThenElse(steep, a, b)), square = product(t, t);
  V angle =
      product(t, polynomial(d, square, 0x1.ffffffffe73c2p-1, -0x1.55555513c30a5p-2, 0x1.99997c85fb1a4p-3,
                            -0x1.248fb9403e0cfp-3, 0x1.c6df94c4732acp-4, -0x1.72a7852a1bb8cp-4, 0x1.330185be386aep-4,
                            -0x1.ed569cab9c1b6p-5, 0x1.658d8847a48c6p-5, -0x1.aa150d8e51b33p-6, 0x1.7675ef99379b4p-7,
                            -0x1.a2d4adcfc1d68p-9, 0x1.b7979f2e1b044p-12));
  angle = IfThenElse(steep, Sub(quarter, angle), angle);
  angle = IfThenElse(Lt(CopySign(half_turn, x), Zero(d)), Sub(half_turn, angle), angle);
  return CopySign(angle, y);
}

// |z|^2 = 2^k (1 + f) for numbers that were f32; next to 1 from its squares less one, which are exact.
template <class D, class V>
HWY_INLINE constexpr V split_square(D d, const complex_vector<D>& z, V square, V& k) {
  auto biased = Zero(bits_tag<D>());
  const V f = Sub(split_exponent(d, square, biased), Set(d, 1.0));
  k = Sub(to_float(d, biased), Set(d, double(ieee::layout<double>::bias)));
  const V x = Abs(z.real), y = Abs(z.imag);
  const auto steep = Gt(y, x);
  const V large = IfThenElse(steep, y, x), lesser = IfThenElse(steep, x, y);
  const V excess = Add(Sub(product(large, large), Set(d, 1.0)), product(lesser, lesser));
  return IfThenElse(Eq(k, Zero(d)), excess, f);
}

// log(|z|) and the angle of z as result + low.
template <class D, class V>
HWY_NOINLINE constexpr V long_logarithm_of_magnitude(D d, const complex_vector<D>& z, V& low) {
  V square_low = low;
  const V half = Set(d, 0.5), square = sum_of_products(d, z.real, z.real, z.imag, z.imag, square_low);
  const V log = long_logarithm(d, square, low);
  return exact_sum(product(log, half), product(Add(low, Div(square_low, square)), half), low);
}
template <class D, class V>
HWY_NOINLINE constexpr V long_angle(D d, const complex_vector<D>& z, V& low) {
  V tail = low;
  const V bent = angle_of(d, z.imag, z.real, tail);
  const V angle = CopySign(ordered_sum(bent, tail, low), z.imag);
  low = Xor(low, sign_of(d, z.imag));
  return angle;
}
// (a + a_low) b + (c + c_low) e
template <class D, class V>
HWY_NOINLINE constexpr V sum_of_long_products(D d, V a, V a_low, V b, V c, V c_low, V e, V& low) {
  const V sum = sum_of_products(d, a, b, c, e, low);
  low = Add(low, Add(product(a_low, b), product(c_low, e)));
  return sum;
}

}  // namespace detail

struct logarithm_kernel {
  template <bool ForF32, class D, class M>
  static HWY_INLINE constexpr complex_vector<D> of(D d, M& usual, const complex_vector<D>& z) {
    using V = hn::Vec<D>;
    const V zero = Zero(d), half = Set(d, 0.5), one = Set(d, 1.0);
    if constexpr (ForF32) {
      const V square = Add(product(z.real, z.real), product(z.imag, z.imag));
      usual = And(Gt(square, zero), Lt(square, Set(d, ieee::infinity<double>)));
      V k = zero;
      const V f = detail::split_square(d, z, square, k);
      return {product(detail::short_logarithm_of_parts(d, k, f), half), detail::short_angle(d, z.imag, z.real)};
    } else {
      const V x = Abs(z.real), y = Abs(z.imag);
      const auto steep = Gt(y, x);
      const V large = IfThenElse(steep, y, x), lesser = IfThenElse(steep, x, y);
      V large_low = x, small_low = x, square_low = x, difference_low = x, low = x, excess_low = x;
      const V first = exact_product(d, large, large, large_low), second = exact_product(d, lesser, lesser, small_low);
      const V square = ordered_sum(first, second, square_low);
      square_low = Add(square_low, Add(large_low, small_low));
      const V difference = exact_sum(first, Neg(one), difference_low);
      const V sum = exact_sum(difference, second, low);
      const V excess = exact_sum(sum, Add(Add(low, difference_low), Add(large_low, small_low)), excess_low);

      auto biased = Zero(bits_tag<D>());
      const V m = detail::split_exponent(d, square, biased);
      const V k = Sub(detail::to_float(d, biased), Set(d, double(ieee::layout<double>::bias)));
      const auto inner = Eq(k, zero);
      const V f = IfThenElse(inner, excess, Sub(m, one));
      const V correction = Div(IfThenElse(inner, excess_low, square_low), IfThenElse(inner, Add(excess, one), square));
      const V s = Div(f, Add(f, Set(d, 2.0)));
      // Where almost everything cancels, more digits are needed.
      const auto is_one = And(Eq(excess, zero), Eq(Add(Abs(large_low), Abs(small_low)), zero));
      const auto resolved = Or(Gt(Abs(excess), Set(d, 0x1p-40)), is_one);
      usual = And(detail::is_ordinary(d, z, square), Or(Not(inner), resolved));
      return {product(detail::logarithm_of_parts(d, k, f, s, correction), half), atan2(d, z.imag, z.real)};
    }
  }
};

// e^(w log(z))
struct power_kernel {
  // Where a part is small beside the other one, its digits depend on more digits of the angle.
  static constexpr double least_sine = 0x1p-12;

  template <bool ForF32, class D, class M>
  static HWY_INLINE constexpr complex_vector<D> of(D d, M& usual, const complex_vector<D>& z,
                                                   const complex_vector<D>& w) {
    using V = hn::Vec<D>;
    const V zero = Zero(d), half = Set(d, 0.5);
    V sine = zero, cosine = zero;
    if constexpr (ForF32) {
      const V square = Add(product(z.real, z.real), product(z.imag, z.imag));
      V k = zero, low = zero;
      const V f = detail::split_square(d, z, square, k);
      const V log = product(detail::logarithm_of_parts(d, k, f, Div(f, Add(f, Set(d, 2.0))), zero), half);
      const V bent = detail::long_angle(d, z, low), angle = Add(bent, low);
      const V real = Sub(product(log, w.real), product(angle, w.imag));
      const V imag = Add(product(angle, w.real), product(log, w.imag));
      const auto bounded = And(Lt(Abs(real), Set(d, 128.0)), Lt(Abs(imag), Set(d, 64.0)));
      detail::short_circular(d, IfThenElseZero(bounded, imag), sine, cosine);
      usual = And(And(And(Gt(square, zero), Lt(square, Set(d, ieee::infinity<double>))), bounded),
                  has_digits(d, imag, sine, cosine, w));
      const V size = detail::short_exponential(d, limit(d, real, -128.0, 128.0));
      return {product(size, cosine), product(size, sine)};
    } else {
      V log_low = zero, angle_low = zero, real_low = zero, imag_low = zero, sine_low = zero, cosine_low = zero,
        low = zero;
      const V square = Add(product(z.real, z.real), product(z.imag, z.imag));
      const V log = detail::long_logarithm_of_magnitude(d, z, log_low), angle = detail::long_angle(d, z, angle_low);
      const V real =
          detail::sum_of_long_products(d, log, log_low, w.real, Neg(angle), Neg(angle_low), w.imag, real_low);
      const V imag = detail::sum_of_long_products(d, angle, angle_low, w.real, log, log_low, w.imag, imag_low);
      const auto bounded = And(Lt(Abs(real), Set(d, 700.0)), Lt(Abs(imag), Set(d, 1024.0)));
      detail::long_circular(d, IfThenElseZero(bounded, imag), IfThenElseZero(bounded, imag_low), sine, sine_low, cosine,
                            cosine_low);
      usual = And(And(detail::is_ordinary(d, z, square), bounded), has_digits(d, imag, sine, cosine, w));
      auto exponent = Zero(bits_tag<D>());
      const V size =
          detail::long_exponential(d, limit(d, real, -700.0, 700.0), IfThenElseZero(bounded, real_low), low, exponent);
      return {detail::scaled_product(d, size, low, cosine, cosine_low, exponent),
              detail::scaled_product(d, size, low, sine, sine_low, exponent)};
    }
  }

 private:
  template <class D, class V>
  static HWY_INLINE constexpr auto has_digits(D d, V, V sine, V cosine, const complex_vector<D>& w) {
    const V least = Set(d, least_sine), most = Set(d, 1024.0);
    return And(And(Gt(Abs(sine), least), Gt(Abs(cosine), least)),
               And(And(Lt(Abs(w.real), most), Lt(Abs(w.imag), most)), Gt(Add(Abs(w.real), Abs(w.imag)), Zero(d))));
  }
};

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
