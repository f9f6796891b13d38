// SPDX-License-Identifier: Apache-2.0
#pragma once

// The logarithm of the gamma function and its derivative.

#include <tenon/math/lanes/complex_exponential.hpp>
#include <tenon/math/lanes/in_f64.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/lanes/power.hpp>
#include <tenon/math/lanes/rounding.hpp>

#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

template <class D, class V>
HWY_NOINLINE constexpr V called_long_logarithm(D d, V x, V& low) {
  return long_logarithm(d, x, low);
}

// Below 7/2 a polynomial about 2 that vanishes there, to which gamma(x + 1) = x gamma(x) leads: `log` is that of the
// factors.
template <class D, class V>
HWY_NOINLINE constexpr V lgamma_inner(D d, V x, V log, V log_low, V& low) {
  const V one = Set(d, 1.0);
  const auto above = Ge(x, Set(d, 2.5)), below = Lt(x, Set(d, 1.5)), lesser = Lt(x, Set(d, 0.25));
  const V v = IfThenElse(above, Sub(x, Set(d, 3.0)),
                         IfThenElse(below, IfThenElse(lesser, x, Sub(x, one)), Sub(x, Set(d, 2.0))));
  V first_low = x, inner_low = x, error = x;
  const V first = exact_product(d, v, Set(d, 0x1.b0ee6072093cep-2), first_low);
  const V bend =
      polynomial(d, v, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557608p-4, 0x1.51322ac7d85cbp-6, -0x1.e404fc218e1cbp-8,
                 0x1.7add6ead7a12ep-9, -0x1.38ac5c2d38c0fp-10, 0x1.0b36afa88e32bp-11, -0x1.d3fd4b3d89f6ep-13,
                 0x1.a1279db5d1dd5p-14, -0x1.78deb2d9a968dp-15, 0x1.5810c4035c39cp-16, -0x1.3cae20052a2a3p-17,
                 0x1.2556eb610b3b2p-18, -0x1.1327da746bfcbp-19, 0x1.03208f2ce75a5p-20, -0x1.b5ffd1d93db8dp-22,
                 0x1.bda9a85db4e2dp-23, -0x1.8de23b3bc5094p-23, 0x1.4725e09da7848p-27, 0x1.99605576a54ep-25,
                 0x1.3d72201b8dcb7p-24);
  const V inner_first = exact_sum(first, product(product(v, v), bend), inner_low);
  inner_low = Add(inner_low, multiply_add(d, v, Set(d, 0x1.6cb90701fbfabp-58), first_low));
  const V step = IfThenElse(below, Neg(log), log), step_low = IfThenElse(below, Neg(log_low), log_low);
  const V inner = exact_sum(step, inner_first, error);
  low = Add(error, Add(inner_low, step_low));
  return inner;
}
// Stirling's series.
template <class D, class V>
HWY_NOINLINE constexpr V lgamma_outer(D d, V x, V log, V log_low, V& low) {
  const V zero = Zero(d), one = Set(d, 1.0);
  const V inverse = Div(one, x), square = product(inverse, inverse);
  const V series = polynomial(d, square, 0x1.5555555555555p-4, -0x1.6c16c16c135adp-9, 0x1.a01a0185aef7fp-11,
                              -0x1.38136cf37f6dp-11, 0x1.b949c851cefcp-11, -0x1.f5b3bc0f3939cp-10, 0x1.9a98d2875f0c9p-8,
                              -0x1.a4a64fe69ffdap-6, 0x1.b2587b881a03p-4, -0x1.5769e4abc9e4ep-2, 0x1.17ce0cc992503p-1);
  const V shifted = Sub(x, Set(d, 0.5));
  V growth_low = x, sum_low = x, outer_low = x;
  const V growth = long_product(d, shifted, zero, log, log_low, growth_low);
  const V sum = exact_sum(growth, Neg(x), sum_low);
  const V outer = exact_sum(sum, Set(d, 0x1.d67f1c864beb5p-1), outer_low);
  low = Add(Add(outer_low, Set(d, -0x1.65b5a1b7ff5dfp-55)), Add(sum_low, multiply_add(d, inverse, series, growth_low)));
  return outer;
}

// log(gamma(x)) for 0 < x < 2^100, as result + low.
template <class D, class V>
HWY_NOINLINE constexpr V lgamma_of_positive(D d, V x, V& low) {
  const V one = Set(d, 1.0);
  const auto large = Ge(x, Set(d, 3.5)), above = Ge(x, Set(d, 2.5)), below = Lt(x, Set(d, 1.5));
  const auto lesser = Lt(x, Set(d, 0.25));
  V factor = IfThenElse(lesser, product(x, Add(x, one)), IfThenElse(below, x, one));
  factor = IfThenElse(large, x, IfThenElse(above, Sub(x, one), factor));
  V log_low = x, inner_low = x, outer_low = x;
  const V log = called_long_logarithm(d, factor, log_low);
  const V inner = lgamma_inner(d, x, log, log_low, inner_low), outer = lgamma_outer(d, x, log, log_low, outer_low);
  low = IfThenElse(large, outer_low, inner_low);
  return IfThenElse(large, outer, inner);
}

// digamma(x + low) for 0 < x < 2^100: between 1 and 9/4 a polynomial times the distance from its zero.
template <class D, class V>
HWY_NOINLINE constexpr V digamma_of_positive(D d, V x, V low) {
  const V one = Set(d, 1.0);
  const auto large = Ge(x, Set(d, 3.25)), above = Ge(x, Set(d, 2.25)), below = Lt(x, one);
  V raised_low = x;
  const V raised = exact_sum(one, x, raised_low), lowered = Sub(x, one);
  const V z = IfThenElse(above, lowered, IfThenElse(below, raised, x));
  const V divisor = IfThenElse(And(above, Not(large)), lowered, x);
  const V inverse = Div(one, divisor), inverse_low = product(product_error(d, inverse, divisor, one), Neg(inverse));

  const V z_low = Sub(Add(low, IfThenElseZero(below, raised_low)), Set(d, 0x1.b86a722197829p-54));
  const V distance = Add(Sub(z, Set(d, 0x1.762d86356be3fp+0)), z_low);
  const V slope = polynomial(
      d, Sub(z, Set(d, 1.625)), 0x1.cd9d88c399e19p-1, -0x1.7aa649cce5856p-2, 0x1.8ab0d9438dfacp-3,
      -0x1.bf4556b33bd2fp-4, 0x1.0738222bc672bp-4, -0x1.3bdd9fa2ad6c5p-5, 0x1.7f10ac38cfc9ep-6, -0x1.d35ab38a09027p-7,
      0x1.1e17d3b9cb0abp-7, -0x1.5efe395101419p-8, 0x1.af26ee9a83cefp-9, -0x1.0902f1f417704p-9, 0x1.45edf49cf5f4ep-10,
      -0x1.90ddab48eca7ep-11, 0x1.ed3c881030509p-12, -0x1.30900d0c808c5p-12, 0x1.76ce8ec2c5bfbp-13,
      -0x1.bcf02b4f97d91p-14, 0x1.11cbf20be6476p-14, -0x1.a3209529c4628p-15, 0x1.01ebcfc85d32cp-15,
      -0x1.a85002c1c4615p-19, 0x1.051bb7e7e0c6fp-19, -0x1.0a3792b4873d9p-16, 0x1.47a6c1aeafa7bp-17);
  const auto direct = Not(Or(above, below));
  const V step = IfThenZeroElse(direct, IfThenElse(below, Neg(inverse), inverse));
  const V step_low = IfThenZeroElse(direct, IfThenElse(below, Neg(inverse_low), inverse_low));
  const V inner = Add(step, multiply_add(d, distance, slope, step_low));

  const V square = product(inverse, inverse);
  const V series = polynomial(d, square, 0x1.5555555555555p-4, -0x1.111111110f93fp-7, 0x1.041040fd13bb4p-8,
                              -0x1.11110a8a8157fp-8, 0x1.f078e7882d7f4p-8, -0x1.5957f67028e4dp-6, 0x1.52495d8a417bbp-4,
                              -0x1.aaef0d50b2349p-2, 0x1.2f713fab59917p+1, -0x1.990a389d71531p+3, 0x1.b7464e1972a96p+5,
                              -0x1.37da3821895eep+7, 0x1.a742fbebb8bf2p+7);
  const V rest = negative_multiply_add(d, square, series, product(inverse, Set(d, -0.5)));
  return IfThenElse(large, Add(log(d, x), rest), inner);
}

// sin(pi t) and cos(pi t) for |t| <= 1/2
template <class D, class V>
HWY_NOINLINE constexpr void circular_of_turn(D d, V t, V& sine, V& sine_low, V& cosine, V& cosine_low) {
  V angle_low = t;
  const V pi = Set(d, 0x1.921fb54442d18p+1), pi_low = Set(d, 0x1.1a62633145c07p-53);
  const V angle = exact_product(d, t, pi, angle_low);
  long_circular(d, angle, multiply_add(d, t, pi_low, angle_low), sine, sine_low, cosine, cosine_low);
}

// Of the larger of two terms this is left, at least, if their sum has enough digits.
template <bool ForF32>
inline constexpr double least_share = ForF32 ? 0x1p-20 : 0x1p-4;

// gamma(x) gamma(1 - x) = pi / sin(pi x)
template <bool ForF32, class D, class V, class M>
HWY_NOINLINE constexpr V lgamma_of_negative(D d, V x, M& usual) {
  V y_low = x, lgamma_low = x, sine = x, sine_low = x, cosine = x, cosine_low = x, log_low = x, error = x;
  const V y = exact_sum(Set(d, 1.0), Neg(x), y_low);
  const V lgamma = lgamma_of_positive(d, y, lgamma_low);
  lgamma_low = multiply_add(d, y_low, digamma_of_positive(d, y, Zero(d)), lgamma_low);
  circular_of_turn(d, Abs(Sub(x, round_nearest_even(d, x))), sine, sine_low, cosine, cosine_low);
  const V log = called_long_logarithm(d, sine, log_low);
  const V sum = exact_sum(Set(d, 0x1.250d048e7a1bdp+0), Neg(log), error);
  log_low = Add(Add(error, Set(d, 0x1.7abf2ad8d5088p-57)), Neg(Add(log_low, Div(sine_low, sine))));
  const V difference = exact_sum(sum, Neg(lgamma), error);
  const V result = Add(difference, Add(error, Sub(log_low, lgamma_low)));
  usual = And(Gt(sine, Set(d, 0x1p-60)),
              Ge(Abs(result), product(Add(Abs(lgamma), Set(d, 2.0)), Set(d, least_share<ForF32>))));
  return result;
}

// digamma(1 - x) - digamma(x) = pi cot(pi x)
template <bool ForF32, class D, class V, class M>
HWY_NOINLINE constexpr V digamma_of_negative(D d, V x, M& usual) {
  V y_low = x, sine = x, sine_low = x, cosine = x, cosine_low = x;
  const V y = exact_sum(Set(d, 1.0), Neg(x), y_low), above = digamma_of_positive(d, y, y_low);
  circular_of_turn(d, Sub(x, round_nearest_even(d, x)), sine, sine_low, cosine, cosine_low);
  const V cotangent = product(quotient(d, cosine, cosine_low, sine, sine_low), Set(d, 0x1.921fb54442d18p+1));
  const V result = Sub(above, cotangent);
  const V larger = IfThenElse(Gt(Abs(cotangent), above), Abs(cotangent), above);
  usual =
      And(Gt(Abs(sine), Set(d, 0x1p-60)), Ge(Abs(result), product(larger, Set(d, ForF32 ? least_share<true> : 1.0))));
  return result;
}

// positive(x), and where there are negative numbers negative(x, usual); rare(x) of one number where neither holds.
template <class D, class V, class Positive, class Negative, class Rare>
HWY_INLINE constexpr V by_sign(D d, V x, Positive positive, Negative negative, Rare rare) {
  const auto in_range = [&](V size) HWY_ATTR { return And(Gt(size, Set(d, 0x1p-60)), Lt(size, Set(d, 0x1p+100))); };
  auto usual = in_range(x);
  V result = positive(x);
  if (AllTrue(d, usual)) [[likely]]
    return result;
  auto reflected_usual = usual;
  const V one = Set(d, 1.0);
  const auto is_negative = in_range(Neg(x));
  const V reflected = negative(IfThenElse(is_negative, x, Neg(one)), reflected_usual);
  result = IfThenElse(is_negative, reflected, result);
  usual = Or(usual, And(is_negative, reflected_usual));
  return for_lanes(d, Not(usual), result, x, x, [=](double a, double) { return rare(a); });
}

}  // namespace detail

// log(|gamma(x)|); rare(x) of one number in f64.
template <class D, class V, class Rare>
HWY_INLINE constexpr V lgamma(D d, V x, Rare rare) {
  const auto f = [=]<bool ForF32>(std::bool_constant<ForF32>, auto tag, auto a) HWY_ATTR {
    using U = decltype(a);
    return detail::by_sign(
        tag, a,
        [=](U b) HWY_ATTR {
          U low = b;
          const U high = detail::lgamma_of_positive(tag, b, low);
          return Add(high, low);
        },
        [=](U b, auto& usual) HWY_ATTR { return detail::lgamma_of_negative<ForF32>(tag, b, usual); }, rare);
  };
  if constexpr (one_by_one<D>)
    return each_lane([=](auto one, auto a) { return lgamma(one, a, rare); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>)
    return detail::in_f64(d, [=](auto wide, auto a) HWY_ATTR { return f(std::true_type(), wide, a); }, x);
  else
    return f(std::false_type(), d, x);
}

// Its derivative.
template <class D, class V, class Rare>
HWY_INLINE constexpr V digamma(D d, V x, Rare rare) {
  const auto f = [=]<bool ForF32>(std::bool_constant<ForF32>, auto tag, auto a) HWY_ATTR {
    using U = decltype(a);
    return detail::by_sign(
        tag, a, [=](U b) HWY_ATTR { return detail::digamma_of_positive(tag, b, Zero(tag)); },
        [=](U b, auto& usual) HWY_ATTR { return detail::digamma_of_negative<ForF32>(tag, b, usual); }, rare);
  };
  if constexpr (one_by_one<D>)
    return each_lane([=](auto one, auto a) { return digamma(one, a, rare); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>)
    return detail::in_f64(d, [=](auto wide, auto a) HWY_ATTR { return f(std::true_type(), wide, a); }, x);
  else
    return f(std::false_type(), d, x);
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
