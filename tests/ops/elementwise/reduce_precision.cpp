// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/reduce_precision.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::reduce_precision{5, 10}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::reduce_precision{11, 52}, {f16_2x3}, {f16_2x3}) == f16_2x3);
static_assert(result_type(ops::reduce_precision{5, 10}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) ==
              other_scale_2x3);

// broken rules
static_assert(broken_by(ops::reduce_precision{5, 10}, {i32_2x3}) == "reduce_precision_i1");
static_assert(broken_by(ops::reduce_precision{5, 10}, {c64_2x3}) == "reduce_precision_i1");
static_assert(broken_by_quantized(ops::reduce_precision{5, 10}, {axis0_2x3}) == "reduce_precision_i1");
static_assert(broken_by(ops::reduce_precision{5, 10}, {f32_2x3}, {f64_2x3}) == "reduce_precision_c1");
static_assert(broken_by(ops::reduce_precision{0, 10}, {f32_2x3}) == "reduce_precision_c2");
static_assert(broken_by(ops::reduce_precision{1, -1}, {f32_2x3}) == "reduce_precision_c3");
static_assert(broken_by_quantized(ops::reduce_precision{5, 10}, {q8_2x3}, {axis0_2x3}) == "reduce_precision_o1");

// values
constexpr ops::reduce_precision half{5, 10};
static_assert(half.element<f64>(ieee::infinity<f64>) == ieee::infinity<f64> &&
              ieee::is_nan(half.element<f64>(ieee::nan<f64>)));
static_assert(half.element<f64>(0x1p-1074) == 0 && half.element<f64>(0.0) == 0);
static_assert(ieee::is_negative(half.element<f64>(-0x1p-20)) && half.element<f64>(-0x1p-20) == 0);
static_assert(half.element<f64>(65519.0) == 65504.0 && half.element<f64>(65520.0) == ieee::infinity<f64>);
static_assert(half.element<f32>(-65520.0f) == -ieee::infinity<f32>);
static_assert(half.element<f32>(1.0f + 0x1p-11f) == 1.0f && half.element<f32>(1.0f + 0x3p-11f) == 1.0f + 0x1p-9f);
static_assert(half.element<f32>(0x1p-14f) == 0x1p-14f && half.element<f32>(0x1p-15f) == 0);
// The formats are those of the element types: a subnormal f16 fits into five bits of exponent.
static_assert(half.element<f16>(0x1p-24f) == 0x1p-24f && half.element<f16>(65504.0f) == 65504.0f);
static_assert(ops::reduce_precision{5, 9}.element<f16>(65504.0f) == ieee::infinity<f32>);
static_assert(ops::reduce_precision{8, 3}.element<bf16>(1.1875f) == 1.25f);
static_assert(ops::reduce_precision{11, 52}.element<f32>(0.1f) == 0.1f);
static_assert(ops::reduce_precision{1, 0}.element<f32>(2.0f) == ieee::infinity<f32> &&
              ops::reduce_precision{1, 0}.element<f32>(1.0f) == 0);
static_assert(ops::reduce_precision{5, 0}.element<f64>(ieee::nan<f64>) == ieee::infinity<f64>);
// Without a mantissa the last bit of the exponent decides a tie.
static_assert(ops::reduce_precision{5, 0}.element<f32>(3.0f) == 2.0f &&
              ops::reduce_precision{5, 0}.element<f32>(6.0f) == 8.0f);
static_assert(ops::reduce_precision{5, 0}.element<f32>(3.5f) == 4.0f);

}  // namespace
