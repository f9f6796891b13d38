// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/maximum.hpp>
#include <tenon/ops/elementwise/minimum.hpp>
#include <tenon/ops/elementwise/order_lanes.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#clamp
struct clamp {
  static constexpr std::string_view name = "clamp";

  // `min` and `max` may be 0-dimensional.
  static constexpr tensor_type infer(rules& rule, const tensor_type& min, const tensor_type& operand,
                                     const tensor_type& max) {
    check_kind(rule, "clamp_i1", accepts::anything_or_quantized, min);
    check_kind(rule, "clamp_i2", accepts::anything_or_quantized, operand);
    check_kind(rule, "clamp_i3", accepts::anything_or_quantized, max);
    rule("clamp_c1", "rank(min) = 0 or shape(min) = shape(operand)", min.rank() == 0 || min.shape == operand.shape);
    rule("clamp_c2", "rank(max) = 0 or shape(max) = shape(operand)", max.rank() == 0 || max.shape == operand.shape);
    const dtype element = rule.baseline(operand);
    rule("clamp_c3", "baseline_element_type(min) = baseline_element_type(operand) = baseline_element_type(max)",
         rule.baseline(min) == element && rule.baseline(max) == element);
    const tensor_type result =
        infer_result(rule, "clamp_c4", "baseline_type(operand) = baseline_type(result)", operand);
    check_kind(rule, "clamp_o1", accepts::anything_or_quantized, result);
    return result;
  }

  // minimum(maximum(operand, min), max), also where min is above max.
  template <class T>
  static constexpr T element(T min, T operand, T max) {
    return minimum::element(maximum::element(operand, min), max);
  }

  template <class D, class V>
    requires requires(D d, V v) { minimum::lanes(d, maximum::lanes(d, v, v), v); }
  static HWY_INLINE V lanes(D d, V min, V operand, V max) {
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_SAT)
    if constexpr (std::is_same_v<hn::TFromD<D>, std::int32_t>)
      if (__builtin_constant_p(min.raw + max.raw) && min.raw == -128 && max.raw == 127) {
        asm("ssat %0, #8, %0" : "+r"(operand.raw));
        return operand;
      }
#endif
    if constexpr (std::floating_point<hn::TFromD<D>>)
      return clamped_floats(min, operand, max);
    else
      return minimum::lanes(d, maximum::lanes(d, operand, min), max);
  }
};

}  // namespace tenon::ops

namespace tenon {

// Each element of the operand, but at least min and at most max: minimum(maximum(operand, min), max). Every element
// type; bounds have the type of the operand, or are tensors without dimensions, or numbers. The result has the type of
// the operand.
constexpr auto clamp(auto&& min, auto&& operand, auto&& max,
                     elementwise_check<ops::clamp{}, decltype(min), decltype(operand), decltype(max)> = {}) {
  return apply_elementwise<ops::clamp{}>(static_cast<decltype(min)>(min), static_cast<decltype(operand)>(operand),
                                         static_cast<decltype(max)>(max));
}

}  // namespace tenon
