// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/lanes/in_f64.hpp>
#include <tenon/math/lanes/logarithm.hpp>

#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

// erf(x) / x - 1 as a polynomial in x^2 for |x| <= 1, log(1 - erf(x)) as one in x - 1 from there to `one`, beyond
// which erf is 1.
struct error_function_constants {
  static constexpr double one = 6.0;

  template <class D, class V>
  static HWY_INLINE constexpr V ratio(D d, V square) {
    return polynomial(d, square, 0x1.06eba8214db68p-3, -0x1.812746b0379c1p-2, 0x1.ce2f21a040fbfp-4,
                      -0x1.b82ce31204d17p-6, 0x1.565bccfa6f4bep-8, -0x1.c02db06ca928fp-11, 0x1.f9a2bee1b1f05p-14,
                      -0x1.f4ca8c11f4161p-17, 0x1.b982295083cfcp-20, -0x1.5c14fc0842667p-23, 0x1.d777c51831224p-27,
                      -0x1.acbabf57ef501p-31);
  }
  template <class D, class V>
  static HWY_INLINE constexpr V log_of_rest(D d, V x) {
    return polynomial(d, x, -0x1.d97fbf27aa2a1p+0, -0x1.51c9b0006c217p+1, -0x1.afabc11a2b274p-1, -0x1.5477f09981663p-5,
                      0x1.48c9d377039f3p-7, -0x1.033f593aa15fdp-9, 0x1.f1b014da01c9cp-13, 0x1.b9325dbaa3bdcp-16,
                      -0x1.c85b321072ee8p-16, 0x1.449b88a36db23p-17, -0x1.1e7fcabb58fbdp-19, 0x1.bbed327a55675p-23,
                      0x1.e9b6c34e82f0cp-25, -0x1.1b966ccd12b8ap-25, 0x1.214c27d30c1dcp-27, -0x1.65de7b91c8ff3p-30,
                      0x1.0286093cc3accp-33, -0x1.50a761fcabfdcp-38);
  }
};

// erf(x) to be rounded to f32, of which it is 1 from 3.925 on.
template <class D, class V>
HWY_INLINE constexpr V wide_erf_of_f32(D d, V x) {
  const V limited = limit(d, x, -3.925, 3.925);
  const V ratio =
      long_polynomial(d, product(limited, limited), 0x1.20dd750412e1dp+0, -0x1.8127469da9c8cp-2, 0x1.ce2f1f1b93472p-4,
                      -0x1.b82cc02b2f296p-6, 0x1.565acbdbd2c11p-8, -0x1.c0249a8d829fcp-11, 0x1.f96beb7a48439p-14,
                      -0x1.f3e4836e74b5ap-17, 0x1.b6f2ba5326f29p-20, -0x1.58524c33020b6p-23, 0x1.e2076d2717bc8p-27,
                      -0x1.2a44734c1913ap-30, 0x1.40b48fd9f48d2p-34, -0x1.248919f8d9d1dp-38, 0x1.b7a160e0b0cdfp-43,
                      -0x1.06911c43e227bp-47, 0x1.dbf22bf208692p-53, -0x1.31bf61802b5a4p-58, 0x1.ee0d470fdfb0ep-65,
                      -0x1.784a51ef6e9b8p-72);
  return product(limited, ratio);
}

// The same in f32, with a fused multiply-add. Up to 1 x plus x times a polynomial in x^2, from there to where it is 1 a
// polynomial around a point where erf is a number of f32, but for less than its tenth digit.
template <class D, class V>
HWY_INLINE constexpr V erf_of_f32(D d, V x) {
  const V size = limit(d, Abs(x), 0.0f, 4.0f), square = product(size, size);
  const V bend = polynomial(d, square, 0x1.06eba8p-3f, -0x1.812744p-2f, 0x1.ce2ea0p-4f, -0x1.b821e6p-6f, 0x1.55dcc6p-8f,
                            -0x1.b99eb6p-11f, 0x1.c77348p-14f, -0x1.1fd45cp-17f);
  const V inner = multiply_add(d, size, bend, size);
  const V t = Sub(size, Set(d, 0x1.3ae420p+1f));
  const V slope = polynomial(d, t, 0x1.5c04a2p-9f, -0x1.ac141ap-8f, 0x1.420a40p-7f, -0x1.44c598p-7f, 0x1.bde3e0p-8f,
                             -0x1.80ef48p-9f, 0x1.d48166p-12f, 0x1.74d168p-12f, -0x1.2ac238p-12f, 0x1.3e83dcp-14f,
                             0x1.079b4cp-16f, -0x1.2351b4p-16f, 0x1.85541cp-19f, 0x1.26fb96p-20f, -0x1.786cc0p-22f);
  const V outer = multiply_add(d, t, slope, Set(d, 0x1.ffbe0ep-1f));
  return CopySign(IfThenElse(Lt(size, Set(d, 1.0f)), inner, outer), x);
}

// 1 - erf(x), to be rounded to f32: e^-x^2 times a function of (x - 3) / (x + 3) that hardly varies.
template <class D, class V>
HWY_INLINE constexpr V erfc_of_f32(D d, V x) {
  const V size = limit(d, Abs(x), 0.0, 10.5), three = Set(d, 3.0);
  const V t = Div(Sub(size, three), Add(size, three));
  const V ratio = long_polynomial(
      d, t, 0x1.6e9827d1f5025p-3, -0x1.4e102b9f6158ap-2, 0x1.f6ff20636cc3ap-3, -0x1.336ffaff08d4bp-3,
      0x1.258b0d26a0a76p-4, -0x1.8fa601f95f03dp-6, 0x1.17cb7963b7967p-8, 0x1.73746fe54e683p-11, -0x1.39521e4cae161p-11,
      0x1.66275c33df27ap-15, 0x1.0d11bd8125a66p-14, -0x1.291799bf7d29dp-17, -0x1.ad51bab570117p-18);
  const V result = product(short_exponential(d, Neg(product(size, size))), ratio);
  return IfThenElse(Lt(x, Zero(d)), Sub(Set(d, 2.0), result), result);
}

// The same in f64: the exponent, the ratio and the divisor with their rounding errors.
template <class D, class V>
HWY_INLINE constexpr V erfc_of_f64(D d, V x) {
  const V size = limit(d, Abs(x), 0.0, 28.0), three = Set(d, 3.0), one = Set(d, 1.0);
  const V t = Div(Sub(size, three), Add(size, three));
  const V bend =
      polynomial(d, t, -0x1.15c084bb9e8e1p-3, -0x1.85a15c58aa35ep-5, 0x1.098366a5b3eabp-3, -0x1.e88b803a4d084p-4,
                 0x1.17ca287812733p-4, -0x1.8574c40a9b0e5p-6, 0x1.4b884e04cf18ap-9, 0x1.ef1bdc7d439fep-10,
                 -0x1.98db48cb9a9e4p-11, -0x1.b91224996e6cap-14, 0x1.06598f0ebfdadp-13, 0x1.4c10888027b82p-18,
                 -0x1.512a5f53c593fp-16, -0x1.869edff44bffcp-21, 0x1.d0ee0c85f55b9p-19, 0x1.76ba2f4878a4cp-22,
                 -0x1.44cf3c31a9fffp-21, -0x1.19921ee6be774p-23, 0x1.8a8bcf6b1dbf4p-24, 0x1.1abfce4dab5a4p-25,
                 -0x1.240fd782dbbf8p-27, -0x1.2150f332779a1p-28);
  V ratio_low = x, divisor_low = x, low = x, square_low = x, tail = x, power_low = x, result_low = x;
  auto exponent = Zero(bits_tag<D>());
  const V ratio = ordered_sum(Set(d, 0x1.40c522d7e4987p+0), product(t, bend), ratio_low);
  const V divisor = exact_sum(one, Add(size, size), divisor_low);
  const V share = quotient(d, ratio, ratio_low, divisor, divisor_low, low);
  const V square = exact_product(d, size, size, square_low);
  const V r = reduce_exponential(d, Neg(square), tail, exponent);
  const V power = ordered_sum(one, r, power_low);
  power_low = Add(power_low, tail);
  power_low = negative_multiply_add(d, square_low, Add(power, power_low), power_low);
  const V high = long_product(d, power, power_low, share, low, result_low);
  const V positive = scale(d, Add(high, result_low), exponent);
  const V result = IfThenElse(Lt(x, Zero(d)), Sub(Set(d, 2.0), positive), positive);
  const auto inner = Lt(size, Set(d, 0.25));
  if (AllFalse(d, inner)) return result;
  // 1 - x - x (erf(x) / x - 1)
  const V first = exact_sum(one, Neg(x), low);
  const V bent = negative_multiply_add(d, x, error_function_constants::ratio(d, product(x, x)), low);
  return IfThenElse(inner, Add(first, bent), result);
}

// x (c0 + c1 u + c2 u^2 ...), with little more than the last rounding.
template <class D, class V, class... Coefficients>
HWY_INLINE constexpr V times_polynomial(D d, V x, V u, double first, Coefficients... rest) {
  return multiply_add(d, x, Set(d, first), product(x, product(u, polynomial(d, u, rest...))));
}

// erf_inv(x) / x in w = -log(1 - x^2) up to 6 (f32) or 25/4 (f64), beyond that in the square root of w: in two steps
// where w is as large as f64 makes it.
struct inverse_error_function_constants {
  static constexpr double middle_f32 = 3.0, middle = 3.125;

  template <class D, class V>
  static HWY_INLINE constexpr V inner_f32(D d, V x, V u) {
    return product(
        x, long_polynomial(d, u, 0x1.9fa072ed72dbbp+0, 0x1.eedbeb8e17d1cp-3, -0x1.780deffcaa707p-8,
                           -0x1.b6657389a04ffp-11, 0x1.99131693a7545p-13, -0x1.aae990c1137f3p-17, -0x1.d55f761b0317p-20,
                           0x1.e5f81bf4dd97fp-22, -0x1.93821d86fb0f3p-26, -0x1.9b9243e7b8acap-28, 0x1.27d6dd06f73b4p-30,
                           0x1.8cfd1072b0c4dp-36, -0x1.05548ffda84a2p-36));
  }
  template <class D, class V>
  static HWY_INLINE constexpr V outer_f32(D d, V x, V w) {
    return times_polynomial(d, x, Sub(Sqrt(w), Set(d, 3.25)), 0x1.8abcc38074edbp+1, 0x1.0158a6d6e3dd1p+0,
                            0x1.5ffd530cda021p-8, -0x1.ebae2d163220bp-9, 0x1.4682fdc936a07p-9, -0x1.ba8036dcc3b9bp-10,
                            0x1.f5040812c5f46p-11, -0x1.76261a3b00ea7p-12, 0x1.2267ada93261bp-16, 0x1.34e1ce7153f1p-14,
                            -0x1.45bdfe490e8bap-15, 0x1.4d9ea8fd10aa8p-18);
  }
  template <class D, class V>
  static HWY_INLINE constexpr V inner(D d, V x, V u) {
    return product(
        x, polynomial(d, u, 0x1.a755e7c99ae86p+0, 0x1.ebd80d9b13dfap-3, -0x1.8b6c33114ea2fp-8, -0x1.84576948359ddp-11,
                      0x1.879c2a20aeb2ep-13, -0x1.d1d1f7c9ffa6dp-17, -0x1.6e8a53c7ac2ffp-20, 0x1.c6b4f8868f532p-22,
                      -0x1.f36ceed4416aep-26, -0x1.1a9eb00326b9bp-28, 0x1.20f544d62fff1p-30, -0x1.dc3f457145cd3p-35,
                      -0x1.c8a6afa1550f4p-37, 0x1.7236b79e1d57ep-39, -0x1.6b86f85109f07p-44, -0x1.6877e8ae70f27p-45,
                      0x1.d5e95ecc5f898p-48, -0x1.6b6b0fc6a580fp-55, -0x1.19ac650194dcap-53, 0x1.1e1f9ee618b29p-56,
                      0x1.669b9213d3cdfp-61, -0x1.9a137911c05cfp-62, 0x1.79a647e43b44ep-66, 0x1.e2aa7ddd776b6p-69,
                      -0x1.b2643e45e1856p-72));
  }
  template <class D, class V>
  static HWY_INLINE constexpr V outer(D d, V x, V w) {
    const V root = Sqrt(w);
    // A root above 4 has one digit less than the result, which is smaller.
    const V root_low = Div(Neg(product_error(d, root, root, w)), Add(root, root));
    const V closer =
        times_polynomial(d, x, Add(Sub(root, Set(d, 3.25)), root_low), 0x1.8abcc380d5a48p+1, 0x1.0158a6d641d55p+0,
                         0x1.5ffcfe5b6cd38p-8, -0x1.ebadabba02be5p-9, 0x1.468eeca944c44p-9, -0x1.ba9240d8768c3p-10,
                         0x1.f3cc545d9ca81p-11, -0x1.7448bcc8e9aa7p-12, 0x1.932e8fd4360edp-16, 0x1.1e6abbe66ca02p-14,
                         -0x1.8cf463501e9ap-15, 0x1.a241c6f237f34p-17, 0x1.899aa0e374402p-19, -0x1.0b79e820e8497p-18,
                         0x1.8db69feb41fb6p-20, -0x1.da75906425fdap-26, -0x1.079a074d6994p-22, 0x1.1a9484c4d3628p-23,
                         -0x1.674f1725daa65p-26, -0x1.06f1da245bfd3p-26, 0x1.07e3c2020286fp-27);
    const V farther =
        times_polynomial(d, x, Add(Sub(root, Set(d, 5.0)), root_low), 0x1.3664ddd1ad7fbp+2, 0x1.02a30d1fba10bp+0,
                         -0x1.22ea5df1cbc58p-13, -0x1.c2f36aa15409ap-13, 0x1.3ebf4efb1ce8p-14, -0x1.4a349047e3e77p-16,
                         0x1.2fbcfd7f16cecp-18, -0x1.0a9031ddf8833p-20, 0x1.ebe326014c46dp-23, -0x1.2238d1f3cab77p-24,
                         0x1.f2884d3681b74p-26, -0x1.0560a3238aec3p-26, 0x1.0cc2feac1d4bep-27, -0x1.e59b3464e50dcp-29,
                         0x1.698c12b53aabbp-30, -0x1.a3abc9645a3cdp-32, 0x1.33e0630d0e277p-34, 0x1.0bede615e4613p-36,
                         -0x1.68a4bc2b20182p-36, 0x1.95df3a33ede24p-38);
    return IfThenElse(Lt(root, Set(d, 4.0)), closer, farther);
  }
};

// Of any x, where `near` is the result that holds where w is small.
template <bool ForF32, class D, class V>
HWY_NOINLINE constexpr V any_erf_inv(D d, V x, V w, V inner) {
  using constants = inverse_error_function_constants;
  const V one = Set(d, 1.0), size = Abs(x);
  constexpr double twice_middle = 2 * (ForF32 ? constants::middle_f32 : constants::middle);
  const V outer = ForF32 ? constants::outer_f32(d, x, w) : constants::outer(d, x, w);
  const V inside = IfThenElse(Gt(w, Set(d, twice_middle)), outer, inner);
  const V edge = IfThenElse(Eq(size, one), CopySign(Set(d, ieee::infinity<double>), x), Set(d, ieee::nan<double>));
  return IfThenElse(Lt(size, one), inside, edge);
}

template <class D, class V>
HWY_INLINE constexpr V one_minus_square(D d, V x) {
  const V one = Set(d, 1.0);
  return product(Sub(one, x), Add(one, x));
}

template <bool ForF32, class D, class V>
HWY_INLINE constexpr V erf_inv_of(D d, V x, V log) {
  using constants = inverse_error_function_constants;
  const V middle = Set(d, ForF32 ? constants::middle_f32 : constants::middle);
  const V w = Neg(log), u = Sub(w, middle);
  const V result = ForF32 ? constants::inner_f32(d, x, u) : constants::inner(d, x, u);
  if (!AllTrue(d, Le(Abs(u), middle))) [[unlikely]]
    return any_erf_inv<ForF32>(d, x, w, result);
  return result;
}

}  // namespace detail

// The integral of 2 / sqrt(pi) e^-t^2 from 0 to x.
template <class D, class V>
HWY_INLINE constexpr V erf(D d, V x) {
  if constexpr (one_by_one<D>)
    return each_lane([](auto one, auto a) { return erf(one, a); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>) {
    if constexpr (is_fused<float>)
      return detail::erf_of_f32(d, x);
    else
      return detail::in_f64(d, [](auto wide, auto a) HWY_ATTR { return detail::wide_erf_of_f32(wide, a); }, x);
  } else {
    using constants = detail::error_function_constants;
    const V magnitude = Abs(x), limited = limit(d, magnitude, 0.0, constants::one);
    const auto inner = Lt(magnitude, Set(d, 1.0));
    const V square = product(limited, limited);
    const V lesser = multiply_add(d, x, constants::ratio(d, square), x);
    if (AllFalse(d, Not(inner))) return lesser;
    const V rest = exponential(d, constants::log_of_rest(d, Sub(limited, Set(d, 1.0))));
    const V large = Sub(Set(d, 1.0), IfThenZeroElse(Ge(magnitude, Set(d, constants::one)), rest));
    return IfThenElse(inner, lesser, CopySign(large, x));
  }
}

// 1 - erf(x) without its cancellation.
template <class D, class V>
HWY_INLINE constexpr V erfc(D d, V x) {
  if constexpr (one_by_one<D>)
    return each_lane([](auto one, auto a) { return erfc(one, a); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>)
    return detail::in_f64(d, [](auto wide, auto a) HWY_ATTR { return detail::erfc_of_f32(wide, a); }, x);
  else
    return detail::erfc_of_f64(d, x);
}

// Where erf is x: infinite at -1 and 1, NaN beyond.
template <class D, class V>
HWY_INLINE constexpr V erf_inv(D d, V x) {
  if constexpr (one_by_one<D>)
    return each_lane([](auto one, auto a) { return erf_inv(one, a); }, d, x);
  else if constexpr (std::is_same_v<TFromD<D>, float>) {
    const auto f = [](auto wide, auto a) HWY_ATTR {
      return detail::erf_inv_of<true>(wide, a, detail::short_logarithm(wide, detail::one_minus_square(wide, a)));
    };
    return detail::in_f64(d, f, x);
  } else {
    return detail::erf_inv_of<false>(d, x, log(d, detail::one_minus_square(d, x)));
  }
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
