// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exponential.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

template <class T>
struct error_function_constants;

// erf(x) / x - 1 as a polynomial in x^2 for |x| <= 1, log(1 - erf(x)) as one in x - 1 from there to `one`, beyond
// which erf is 1.
template <>
struct error_function_constants<float> {
  static constexpr float one = 4.0f;

  template <class D, class V>
  static HWY_INLINE constexpr V ratio(D d, V square) {
    return polynomial(d, square, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2d18p-4f, -0x1.b7fb38p-6f, 0x1.541636p-8f,
                      -0x1.a46b4p-11f, 0x1.4a9dacp-14f);
  }
  template <class D, class V>
  static HWY_INLINE constexpr V log_of_rest(D d, V x) {
    return polynomial(d, x, -0x1.d97fc0p+0f, -0x1.51c9aap+1f, -0x1.afad22p-1f, -0x1.53fe36p-5f, 0x1.443f66p-7f,
                      -0x1.dfa0c6p-10f, 0x1.873a30p-13f);
  }
};

template <>
struct error_function_constants<double> {
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

}  // namespace detail

// The integral of 2 / sqrt(pi) e^-t^2 from 0 to x.
template <class D, class V>
HWY_INLINE constexpr V erf(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return erf(one, a); }, d, x);
  using T = TFromD<D>;
  using constants = detail::error_function_constants<T>;
  const V magnitude = Abs(x), limited = limit(d, magnitude, T(0), constants::one);
  const auto near = Lt(magnitude, Set(d, T(1)));
  const V square = product(limited, limited);
  const V small = multiply_add(d, x, constants::ratio(d, square), x);
  if (AllFalse(d, Not(near))) return small;
  const V rest = exponential(d, constants::log_of_rest(d, Sub(limited, Set(d, T(1)))));
  const V large = Sub(Set(d, T(1)), IfThenZeroElse(Ge(magnitude, Set(d, constants::one)), rest));
  return IfThenElse(near, small, CopySign(large, x));
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
