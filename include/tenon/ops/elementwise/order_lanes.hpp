// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>

#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3

// Tells zeros of different sign apart, but passes by NaN: those come of the sum. Operands are kept in registers: GCC
// would rather read them from memory for each of the three.
template <int Choice>
HWY_INLINE hn::Vec512<float> chosen_of_floats(hn::Vec512<float> lhs, hn::Vec512<float> rhs) {
  asm("" : "+v"(lhs.raw), "+v"(rhs.raw));
  const __m512 chosen = _mm512_range_ps(lhs.raw, rhs.raw, Choice);
  return {_mm512_mask_add_ps(chosen, _mm512_cmp_ps_mask(lhs.raw, rhs.raw, _CMP_UNORD_Q), lhs.raw, rhs.raw)};
}
template <int Choice>
HWY_INLINE hn::Vec512<double> chosen_of_floats(hn::Vec512<double> lhs, hn::Vec512<double> rhs) {
  asm("" : "+v"(lhs.raw), "+v"(rhs.raw));
  const __m512d chosen = _mm512_range_pd(lhs.raw, rhs.raw, Choice);
  return {_mm512_mask_add_pd(chosen, _mm512_cmp_pd_mask(lhs.raw, rhs.raw, _CMP_UNORD_Q), lhs.raw, rhs.raw)};
}

#endif

// The larger number; NaN if either is, +0 above -0.
template <class V>
HWY_INLINE V larger_of_floats(V lhs, V rhs) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(V) == 64) return chosen_of_floats<5>(lhs, rhs);
#endif
  const V chosen = hn::IfThenElse(hn::Ge(lhs, rhs), lhs, rhs);
  return hn::IfThenElse(hn::IsNaN(lhs), lhs, hn::IfThenElse(hn::Eq(lhs, rhs), hn::And(lhs, rhs), chosen));
}

// The smaller number; NaN if either is, -0 below +0.
template <class V>
HWY_INLINE V smaller_of_floats(V lhs, V rhs) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(V) == 64) return chosen_of_floats<4>(lhs, rhs);
#endif
  const V chosen = hn::IfThenElse(hn::Le(lhs, rhs), lhs, rhs);
  return hn::IfThenElse(hn::IsNaN(lhs), lhs, hn::IfThenElse(hn::Eq(lhs, rhs), hn::Or(lhs, rhs), chosen));
}

}  // namespace tenon::inline HWY_NAMESPACE
