// SPDX-License-Identifier: Apache-2.0
#pragma once

// How functions of complex numbers run in vectors: a kernel computes them for usual numbers and says which those are;
// the others, rare, go one by one through the function of one number in f64. Numbers of f32 are widened to f64, where
// their products are exact and squares do not overflow.

#include <tenon/core/complex_lanes.hpp>
#include <tenon/math/lanes/in_f64.hpp>

#include <concepts>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE::math::lanes {

// Highway's emulated targets round what is too large for f32 to the largest number instead of infinity.
template <class T>
inline constexpr bool has_complex_functions =
    std::floating_point<T> && has_complex_lanes<T> && has_complex_lanes<double> && !has_emulated_lanes;

namespace detail {

// `result`, but rare(z...) in the lanes that are not usual.
template <class D, class M, class Rare, class... Z>
HWY_NOINLINE constexpr complex_vector<D> with_rare_numbers(D d, M usual, const complex_vector<D>& result, Rare rare,
                                                           const Z&... z) {
  constexpr std::size_t most = MaxLanes(D());
  struct parts {
    HWY_ALIGN double real[most] = {}, imag[most] = {};
  };
  const auto stored = [&](const complex_vector<D>& value) {
    parts to;
    Store(value.real, d, to.real);
    Store(value.imag, d, to.imag);
    return to;
  };
  HWY_ALIGN double chosen[most] = {};
  Store(IfThenZeroElse(usual, Set(d, 1.0)), d, chosen);
  parts results = stored(result);
  const auto replace = [&](const auto&... given) {
    for (std::size_t i = 0; i < Lanes(d); ++i) {
      if (chosen[i] == 0) continue;
      const complex<double> one = rare(complex<double>{given.real[i], given.imag[i]}...);
      results.real[i] = one.real;
      results.imag[i] = one.imag;
    }
  };
  replace(stored(z)...);
  return {Load(d, results.real), Load(d, results.imag)};
}

template <class Kernel, bool ForF32, class D, class Rare, class... Z>
HWY_INLINE constexpr complex_vector<D> usual_or_rare(D d, Rare rare, const Z&... z) {
  auto usual = Eq(Zero(d), Zero(d));
  const complex_vector<D> result = Kernel::template of<ForF32>(d, usual, z...);
  if (AllTrue(d, usual)) [[likely]]
    return result;
  return with_rare_numbers(d, usual, result, rare, z...);
}

template <class D, class W>
HWY_INLINE complex_vector<W> widened(D, W wide, const complex_vector<D>& z, bool upper) {
  const hn::Half<D> half;
  if (upper) return {hn::PromoteTo(wide, UpperHalf(half, z.real)), hn::PromoteTo(wide, UpperHalf(half, z.imag))};
  return {hn::PromoteTo(wide, LowerHalf(half, z.real)), hn::PromoteTo(wide, LowerHalf(half, z.imag))};
}

}  // namespace detail

// Kernel of vectors of complex numbers; rare(z...) of complex<double> where those are not usual.
template <class Kernel, class D, class Rare, class... Z>
HWY_INLINE complex_vector<D> complex_function(D d, Rare rare, const Z&... z) {
  if constexpr (std::same_as<hn::TFromD<D>, double>) {
    return detail::usual_or_rare<Kernel, false>(d, rare, z...);
  } else if constexpr (hn::MaxLanes(D()) <= hn::MaxLanes(hn::ScalableTag<double>())) {
    const hn::Rebind<double, D> wide;
    using W = hn::Rebind<double, D>;
    const complex_vector<W> result = detail::usual_or_rare<Kernel, true>(
        wide, rare, complex_vector<W>{hn::PromoteTo(wide, z.real), hn::PromoteTo(wide, z.imag)}...);
    return {hn::DemoteTo(d, result.real), hn::DemoteTo(d, result.imag)};
  } else {
    const hn::Half<D> half;
    using W = hn::Rebind<double, hn::Half<D>>;
    const W wide;
    const complex_vector<W> lower =
        detail::usual_or_rare<Kernel, true>(wide, rare, detail::widened(d, wide, z, false)...);
    const complex_vector<W> upper =
        detail::usual_or_rare<Kernel, true>(wide, rare, detail::widened(d, wide, z, true)...);
    return {Combine(d, hn::DemoteTo(half, upper.real), hn::DemoteTo(half, lower.real)),
            Combine(d, hn::DemoteTo(half, upper.imag), hn::DemoteTo(half, lower.imag))};
  }
}

// The same of one number.
template <class Kernel, class Rare, class... T>
constexpr auto complex_function_of_one(Rare rare, complex<T>... z) {
  using T0 = std::common_type_t<T...>;
  const one_lane::tag<double> d;
  using vector = complex_vector<one_lane::tag<double>>;
  const vector result =
      detail::usual_or_rare<Kernel, std::same_as<T0, float>>(d, rare, vector{{double(z.real)}, {double(z.imag)}}...);
  if constexpr (std::same_as<T0, double>)
    return complex<double>{result.real.raw, result.imag.raw};
  else
    return complex<float>{ieee::narrow(result.real.raw), ieee::narrow(result.imag.raw)};
}

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
