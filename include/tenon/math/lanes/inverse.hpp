// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inverse trigonometric and hyperbolic functions. They are no ops of the specification, but of CHLO.

#include <tenon/math/lanes/in_f64.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/lanes/trigonometric.hpp>

#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

// asin(|x|) or acos(x): beyond 1/2 by way of asin(s) with s^2 = (1 - |x|) / 2.
template <bool Sine, class D, class V>
HWY_INLINE constexpr V inverse_sine_of_f32(D d, V x) {
  const V size = Abs(x), half = Set(d, 0.5);
  const auto wide = Gt(size, half);
  const V z = IfThenElse(wide, negative_multiply_add(d, size, half, half), product(size, size));
  const V s = IfThenElse(wide, Sqrt(z), size);
  const V angle = product(s, polynomial(d, z, 0x1.0000000000e93p+0, 0x1.55555542ec018p-3, 0x1.3333426e937cbp-4,
                                        0x1.6db209263925p-5, 0x1.f28941e17d365p-6, 0x1.66113388c13ap-6,
                                        0x1.52ee6dea69de2p-6, 0x1.f26a29c1087f8p-10, 0x1.0e1d390354692p-5));
  const V twice = Add(angle, angle), quarter = Set(d, 0x1.921fb54442d18p+0);
  if constexpr (Sine) return IfThenElse(wide, Sub(quarter, twice), angle);
  const auto negative = Lt(x, Zero(d));
  const V narrow = Sub(quarter, IfThenElse(negative, Neg(angle), angle));
  return IfThenElse(wide, IfThenElse(negative, Sub(Set(d, 0x1.921fb54442d18p+1), twice), twice), narrow);
}

template <bool Sine, class D, class V>
HWY_INLINE constexpr V inverse_sine_of_f64(D d, V x) {
  const V size = Abs(x), half = Set(d, 0.5);
  const auto wide = Gt(size, half), negative = Lt(x, Zero(d));
  const V z = IfThenElse(wide, negative_multiply_add(d, size, half, half), product(size, size));
  const V root = Sqrt(z);
  const V s = IfThenElse(wide, root, size);
  // The rounding error of the root.
  const V root_low = Div(Neg(product_error(d, root, root, z)), Add(root, root));
  const V s_low = IfThenElseZero(And(wide, Gt(z, Zero(d))), root_low);
  const V rest = polynomial(d, z, 0x1.5555555555556p-3, 0x1.3333333332ec4p-4, 0x1.6db6db6e3292ep-5,
                            0x1.f1c71c1d4aa0dp-6, 0x1.6e8bb1d89492bp-6, 0x1.1c4d343fa57f6p-6, 0x1.c9cf3759fd8ffp-7,
                            0x1.78246f32d075cp-7, 0x1.524ea8b3aad31p-7, 0x1.653a8f8cfd43cp-8, 0x1.1d661531b222ep-6,
                            -0x1.e7a24f548c99fp-7, 0x1.d78189767524ep-6);
  const V tail = multiply_add(d, product(s, z), rest, s_low);
  // The angle is s + tail, or `whole` less once or twice that.
  const V quarter = Set(d, 0x1.921fb54442d18p+0), quarter_low = Set(d, 0x1.1a62633145c07p-54);
  const V factor = IfThenElse(wide, Set(d, 2.0), Set(d, 1.0));
  const V angle = product(s, factor), angle_tail = product(tail, factor);
  if constexpr (Sine) {
    V error = x;
    const V difference = ordered_sum(quarter, Neg(angle), error);
    return IfThenElse(wide, Add(difference, Add(error, Sub(quarter_low, angle_tail))), Add(s, tail));
  } else {
    const V none = Zero(d);
    const V whole = IfThenElse(wide, IfThenElse(negative, Add(quarter, quarter), none), quarter);
    const V whole_low = IfThenElse(wide, IfThenElse(negative, Add(quarter_low, quarter_low), none), quarter_low);
    const auto added = Xor(negative, wide);
    V error = x;
    const V sum = ordered_sum(whole, IfThenElse(added, angle, Neg(angle)), error);
    return Add(sum, Add(error, Add(whole_low, IfThenElse(added, angle_tail, Neg(angle_tail)))));
  }
}

// asinh(x), acosh(x) and atanh(x) to be rounded to f32, asinh and atanh for x >= 0.
template <class D, class V>
HWY_INLINE constexpr V asinh_of_f32(D d, V x) {
  const V square = product(x, x);
  const V inner = product(
      x, polynomial(d, square, 0x1.fffffffffa92ep-1, -0x1.55555529da338p-3, 0x1.3333166dc3ad1p-4, -0x1.6daf8c36222d2p-5,
                    0x1.f0db150f4a079p-6, -0x1.665097f0021c1p-6, 0x1.e452b198a62dbp-7, -0x1.aae061911c345p-8));
  const V outer = short_logarithm(d, Add(x, Sqrt(Add(square, Set(d, 1.0)))));
  const V result = IfThenElse(Lt(x, Set(d, 0.5)), inner, outer);
  return IfThenElse(Lt(x, Set(d, ieee::infinity<double>)), result, x);
}
template <class D, class V>
HWY_INLINE constexpr V acosh_of_f32(D d, V x) {
  const V one = Set(d, 1.0);
  const V result = short_logarithm(d, Add(x, Sqrt(product(Sub(x, one), Add(x, one)))));
  return IfThenElse(Lt(x, Set(d, ieee::infinity<double>)), IfThenElse(Lt(x, one), Set(d, ieee::nan<double>), result),
                    x);
}
template <class D, class V>
HWY_INLINE constexpr V atanh_of_f32(D d, V x) {
  const V one = Set(d, 1.0);
  const V inner =
      product(x, polynomial(d, product(x, x), 0x1.000000000534ep+0, 0x1.55555520b62cep-2, 0x1.9999c51ebd5a5p-3,
                            0x1.248b66fbd6521p-3, 0x1.c83158205ecf2p-4, 0x1.684a52a9e849ap-4, 0x1.88ac69e40ff7dp-4,
                            -0x1.a2df0243a5227p-10, 0x1.6e95328df25c8p-3));
  const V outer = product(short_logarithm(d, Div(Add(one, x), Sub(one, x))), Set(d, 0.5));
  const V result = IfThenElse(Lt(x, Set(d, 0.5)), inner, outer);
  const V limit = IfThenElse(Eq(x, one), Set(d, ieee::infinity<double>), Set(d, ieee::nan<double>));
  return IfThenElse(Lt(x, one), result, limit);
}

// log(1 + x + x_low) for x >= 0
template <class D, class V>
HWY_INLINE constexpr V growth_logarithm(D d, V x, V x_low) {
  return Add(log_plus_one(d, x), Div(x_low, Add(x, Set(d, 1.0))));
}
// The square root of x + x_low > 0, as result + low.
template <class D, class V>
HWY_INLINE constexpr V long_root(D d, V x, V x_low, V& low) {
  const V root = Sqrt(x);
  const V rest = Sub(x_low, product_error(d, root, root, x));
  low = IfThenElseZero(Gt(x, Zero(d)), Div(rest, Add(root, root)));
  return root;
}

// From here on the square that 1 is added to or taken from is all that counts.
inline constexpr double huge = 0x1p+28;

// x >= 0
template <class D, class V>
HWY_INLINE constexpr V asinh_of_f64(D d, V x) {
  const V one = Set(d, 1.0);
  const auto is_huge = Ge(x, Set(d, huge)), is_small = Lt(x, Set(d, 0.5));
  const V limited = IfThenElse(is_huge, one, x);
  V square_low = x, sum_low = x, root_low = x, low = x;
  const V square = exact_product(d, limited, limited, square_low);
  const V sum = exact_sum(square, one, sum_low);
  const V root = long_root(d, sum, Add(sum_low, square_low), root_low);
  const V growth = exact_sum(limited, Sub(root, one), low);
  const V result = IfThenElse(is_huge, Add(log(d, x), Set(d, 0x1.62e42fefa39efp-1)),
                              growth_logarithm(d, growth, Add(low, root_low)));
  const V rest = polynomial(d, square, -0x1.5555555555555p-3, 0x1.33333333332f9p-4, -0x1.6db6db6db0809p-5,
                            0x1.f1c71c6d62262p-6, -0x1.6e8ba21e03fc4p-6, 0x1.1c4eaf1a1de1ep-6, -0x1.c99691ca9fc62p-7,
                            0x1.7a632dc637467p-7, -0x1.3eb0c11b2c3e9p-7, 0x1.0c1ca2748172p-7, -0x1.a84678634fc2ep-8,
                            0x1.0f2429a14149ap-8, -0x1.88b74c9b63e18p-10);
  const V lesser = multiply_add(d, product(x, square), rest, x);
  return IfThenElse(is_small, lesser, result);
}
template <class D, class V>
HWY_INLINE constexpr V acosh_of_f64(D d, V x) {
  const V one = Set(d, 1.0);
  const auto is_huge = Ge(x, Set(d, huge));
  const V limited = IfThenElse(is_huge, one, x);
  V above_low = x, product_low = x, root_low = x, low = x;
  const V excess = Sub(limited, one);
  const V above = exact_sum(limited, one, above_low);
  const V square = long_product(d, excess, Zero(d), above, above_low, product_low);
  const V root = long_root(d, square, product_low, root_low);
  const V growth = exact_sum(root, excess, low);
  const V result = IfThenElse(is_huge, Add(log(d, x), Set(d, 0x1.62e42fefa39efp-1)),
                              growth_logarithm(d, growth, Add(low, root_low)));
  return IfThenElse(Lt(x, one), Set(d, ieee::nan<double>), result);
}
// x >= 0: half of log(1 + 2 x / (1 - x))
template <class D, class V>
HWY_INLINE constexpr V atanh_of_f64(D d, V x) {
  const V one = Set(d, 1.0);
  V below_low = x, ratio_low = x;
  const V below = exact_sum(one, Neg(x), below_low);
  const V ratio = quotient(d, Add(x, x), Zero(d), below, below_low, ratio_low);
  const V result = product(growth_logarithm(d, ratio, ratio_low), Set(d, 0.5));
  const V limit = IfThenElse(Eq(x, one), Set(d, ieee::infinity<double>), Set(d, ieee::nan<double>));
  return IfThenElse(Lt(x, one), IfThenElse(Lt(x, Set(d, 0x1p-28)), x, result), limit);
}

}  // namespace detail

// From -pi / 2 to pi / 2.
template <class D, class V>
HWY_INLINE constexpr V asin(D d, V x) {
  if constexpr (one_by_one<D>)
    return each_lane([](auto one, auto a) { return asin(one, a); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>)
    return CopySign(
        detail::in_f64(d, [](auto wide, auto a) HWY_ATTR { return detail::inverse_sine_of_f32<true>(wide, a); }, x), x);
  else
    return CopySign(detail::inverse_sine_of_f64<true>(d, x), x);
}

// From 0 to pi.
template <class D, class V>
HWY_INLINE constexpr V acos(D d, V x) {
  if constexpr (one_by_one<D>)
    return each_lane([](auto one, auto a) { return acos(one, a); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>)
    return detail::in_f64(d, [](auto wide, auto a) HWY_ATTR { return detail::inverse_sine_of_f32<false>(wide, a); }, x);
  else
    return detail::inverse_sine_of_f64<false>(d, x);
}

// From -pi / 2 to pi / 2.
template <class D, class V>
HWY_INLINE constexpr V atan(D d, V x) {
  return atan2(d, x, Set(d, TFromD<D>(1)));
}

// The inverse of sinh.
template <class D, class V>
HWY_INLINE constexpr V asinh(D d, V x) {
  if constexpr (one_by_one<D>)
    return each_lane([](auto one, auto a) { return asinh(one, a); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>)
    return CopySign(
        detail::in_f64(d, [](auto wide, auto a) HWY_ATTR { return detail::asinh_of_f32(wide, a); }, Abs(x)), x);
  else
    return CopySign(detail::asinh_of_f64(d, Abs(x)), x);
}

// The one that is not negative.
template <class D, class V>
HWY_INLINE constexpr V acosh(D d, V x) {
  if constexpr (one_by_one<D>)
    return each_lane([](auto one, auto a) { return acosh(one, a); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>)
    return detail::in_f64(d, [](auto wide, auto a) HWY_ATTR { return detail::acosh_of_f32(wide, a); }, x);
  else
    return detail::acosh_of_f64(d, x);
}

// The inverse of tanh.
template <class D, class V>
HWY_INLINE constexpr V atanh(D d, V x) {
  if constexpr (one_by_one<D>)
    return each_lane([](auto one, auto a) { return atanh(one, a); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>)
    return CopySign(
        detail::in_f64(d, [](auto wide, auto a) HWY_ATTR { return detail::atanh_of_f32(wide, a); }, Abs(x)), x);
  else
    return CopySign(detail::atanh_of_f64(d, Abs(x)), x);
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
