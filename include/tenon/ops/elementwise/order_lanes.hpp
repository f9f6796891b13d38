// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>

#include <type_traits>

namespace tenon::ops::inline HWY_NAMESPACE {

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

// The value, but where the other operand is NaN, that, made quiet.
HWY_INLINE hn::Vec512<float> with_nan_of(hn::Vec512<float> value, hn::Vec512<float> other) {
  return {_mm512_fixupimm_ps(value.raw, other.raw, _mm512_set1_epi32(0x22), 0)};
}
HWY_INLINE hn::Vec512<double> with_nan_of(hn::Vec512<double> value, hn::Vec512<double> other) {
  return {_mm512_fixupimm_pd(value.raw, other.raw, _mm512_set1_epi64(0x22), 0)};
}
template <int Choice>
HWY_INLINE hn::Vec512<float> chosen_of_numbers(hn::Vec512<float> lhs, hn::Vec512<float> rhs) {
  return {_mm512_range_ps(lhs.raw, rhs.raw, Choice)};
}
template <int Choice>
HWY_INLINE hn::Vec512<double> chosen_of_numbers(hn::Vec512<double> lhs, hn::Vec512<double> rhs) {
  return {_mm512_range_pd(lhs.raw, rhs.raw, Choice)};
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

// The smaller one of `max` and of the larger one of `min` and the operand. The first of operand, min and max that is
// NaN is the result.
template <class V>
HWY_INLINE V clamped_floats(V min, V operand, V max) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    const V chosen = chosen_of_numbers<4>(chosen_of_numbers<5>(operand, min), max);
    return with_nan_of(with_nan_of(with_nan_of(chosen, max), min), operand);
  }
#endif
  return smaller_of_floats(larger_of_floats(operand, min), max);
}

}  // namespace tenon::ops::inline HWY_NAMESPACE
