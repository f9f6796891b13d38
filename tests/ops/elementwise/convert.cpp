// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/convert.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

// types
static_assert(result_type(ops::convert{}, {i32_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::convert{}, {f32_2x3}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::convert{}, {f32_2x3}, {with_open_shape(dtype::bf16)}) == bf16_2x3);

// broken rules
static_assert(broken_by_quantized(ops::convert{}, {q8_2x3}, {f32_2x3}) == "convert_i1");
static_assert(broken_by(ops::convert{}, {f32_2x3}) == "convert_o1");
static_assert(broken_by_quantized(ops::convert{}, {f32_2x3}, {q8_2x3}) == "convert_o1");
static_assert(broken_by(ops::convert{}, {f32_2x3}, {f64_scalar}) == "convert_c1");

// values
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
static_assert(ops::convert::element<complex<f64>>(i64{-1}) == complex<f64>{-1, 0});
static_assert(ops::convert::element<f32>(complex<f64>{1.5, 2}) == 1.5f);
static_assert(ops::convert::element<bool>(-0.5f) && !ops::convert::element<bool>(0.0f));
static_assert(ops::convert::element<i32>(true) == 1 && ops::convert::element<i8>(i32{300}) == 44);
static_assert(ops::convert::element<i32>(-2.9) == -2 && ops::convert::element<ui8>(300.0f) == 255);
static_assert(ops::convert::element<i32>(nan) == 0);
static_assert(ops::convert::element<i32>(infinity) == INT32_MAX);
static_assert(ops::convert::element<bf16>(1.00390625f).bits == 0x3F80);
// Rounded once: by way of f32 this would end between two numbers of bf16.
static_assert(ops::convert::element<bf16>(1.0 + 0x1p-8 + 0x1p-40).bits == 0x3F81);
static_assert(ops::convert::element<i4>(i8{-3}) == i4(-3));

}  // namespace
