// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exact.hpp>
#include <tenon/math/lanes/logarithm.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

// The cube root between sqrt(1/8) and sqrt(8), to 13 (f32) or 9 (f64) bits.
template <class V>
HWY_INLINE constexpr V cube_root_guess(auto d, V x) {
  if constexpr (sizeof(TFromD<decltype(d)>) == 4)
    return polynomial(d, x, 0x1.925a4cp-2f, 0x1.31f3a8p0f, -0x1.19a68p0f, 0x1.8a7f38p-1f, -0x1.4d3414p-2f,
                      0x1.2dd6cp-4f, -0x1.c0d7b4p-8f);
  else
    return polynomial(d, x, 0x1.c63450c1967cp-2, 0x1.cbf060f61264fp-1, -0x1.e512bfab3451dp-2, 0x1.39bbbfc9ffa21p-3,
                      -0x1.3fd711e91bd71p-6);
}

// One step from the guess t to the cube root of x: t + t (x - t^3) / (x + 2 t^3). It triples the number of right bits.
template <class D, class V>
HWY_INLINE constexpr V refine_cube_root(D d, V x, V t) {
  const V ratio = Div(x, product(t, t));
  const V correction = Div(Sub(ratio, t), Add(Add(t, t), ratio));
  return multiply_add(d, t, correction, t);
}

}  // namespace detail

template <class D, class V>
HWY_INLINE constexpr V sqrt(D, V x) {
  return Sqrt(x);
}

template <class D, class V>
HWY_INLINE constexpr V rsqrt(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return rsqrt(one, a); }, d, x);
  using T = TFromD<D>;
  constexpr int precision = ieee::layout<T>::precision;
  // The correction below would underflow for small numbers.
  const auto lesser = Lt(x, Set(d, ieee::power_of_two<T>(2 * precision + 2 - ieee::layout<T>::bias)));
  const V y = IfThenElse(lesser, product(x, Set(d, ieee::power_of_two<T>(2 * precision))), x);
  const V root = Sqrt(y);
  const V first = Div(Set(d, T(1)), root);
  // 1 / sqrt(y) = first (1 + e - f) with the errors of the division and of the root.
  const V half_first = product(first, Set(d, T(0.5)));
  const V root_error = product(product_error(d, root, root, y), product(half_first, first));
  const V correction = Sub(root_error, product_error(d, root, first, Set(d, T(1))));
  // At zeros and infinities there is nothing to correct, and the correction is NaN.
  const V corrected = IfThenElse(Lt(Abs(correction), Set(d, T(1))), multiply_add(d, first, correction, first), first);
  return IfThenElse(lesser, product(corrected, Set(d, ieee::power_of_two<T>(precision))), corrected);
}

template <class D, class V>
HWY_INLINE constexpr V cbrt(D d, V x) {
  if constexpr (is_emulated<D>) return each_lane([](auto one, auto a) { return cbrt(one, a); }, d, x);
  using T = TFromD<D>;
  constexpr int bias = ieee::layout<T>::bias, precision = ieee::layout<T>::precision;
  constexpr int lift = (precision + 2) / 3 * 3;
  const bits_tag<D> db;
  const V magnitude = Abs(x);
  const auto subnormal = Lt(magnitude, Set(d, ieee::power_of_two<T>(1 - bias)));
  const V normal = IfThenElse(subnormal, product(magnitude, Set(d, ieee::power_of_two<T>(lift))), magnitude);
  // normal = 2^(3 third) y, y between sqrt(1/8) and sqrt(8)
  auto biased = Zero(db);
  const V m = detail::split_exponent(d, normal, biased);
  const V exponent = Sub(detail::to_float(d, biased), Set(d, T(bias)));
  constexpr T anchor = integer_anchor<T> + T(bias);
  const V anchored = multiply_add(d, exponent, Set(d, T(1) / T(3)), Set(d, anchor));
  const V third = Sub(anchored, Set(d, anchor));
  const auto third_biased = Sub(BitCast(db, anchored), Set(db, ieee::to_bits(integer_anchor<T>)));
  const V rest = negative_multiply_add(d, third, Set(d, T(3)), exponent);
  const V y = product(
      m, IfThenElse(Eq(rest, Zero(d)), Set(d, T(1)), IfThenElse(Gt(rest, Zero(d)), Set(d, T(2)), Set(d, T(0.5)))));

  V root = detail::cube_root_guess(d, y);
  if constexpr (std::is_same_v<T, double>) root = detail::refine_cube_root(d, y, root);
  // With a short guess its square is exact.
  root = detail::refine_cube_root(d, y, upper_half(d, root));
  root = product(root, power_of_two(d, third_biased));
  root = IfThenElse(subnormal, product(root, Set(d, ieee::power_of_two<T>(-lift / 3))), root);
  const auto regular = And(Gt(magnitude, Zero(d)), Lt(magnitude, Set(d, ieee::infinity<T>)));
  return IfThenElse(regular, CopySign(root, x), x);
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
