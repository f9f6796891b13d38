// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/next_after.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::next_after>() == "chlo");
static_assert(result_type(ops::next_after{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::next_after{}, {f32_2x3, f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::next_after{}, {bf16_2x3, bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::next_after{}, {bf16_2x3, bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::next_after{}, {f64_2x3, f64_2x3}) == f64_2x3);
static_assert(result_type(ops::next_after{}, {f64_2x3, f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::next_after{}, {i32_2x3, i32_2x3}) == "next_after_i1");
static_assert(broken_by(ops::next_after{}, {c64_2x3, c64_2x3}) == "next_after_i1");
static_assert(broken_by(ops::next_after{}, {f32_2x3, i32_2x3}) == "next_after_i2");
static_assert(broken_by(ops::next_after{}, {f32_2x3, f32_scalar}) == "next_after_c1");
static_assert(broken_by(ops::next_after{}, {f32_2x3, f32_2x3}, {i1_scalar}) == "next_after_c1");

// values
template <class R, class T>
constexpr T next(T x, T y) {
  return ops::next_after::element<R>(x, y);
}
static_assert(next<float>(1.0f, 2.0f) == 0x1.000002p+0f && next<float>(1.0f, 0.0f) == 0x1.fffffep-1f);
static_assert(next<double>(0.0, 1.0) == 0x1p-1074 && next<double>(0.0, -1.0) == -0x1p-1074);
static_assert(next<double>(-1.0, -2.0) == -0x1.0000000000001p+0 && next<double>(-1.0, 0.0) == -0x1.fffffffffffffp-1);
static_assert(next<float>(3.0f, 3.0f) == 3 && ieee::is_nan(next<float>(ieee::nan<float>, 1.0f)));
static_assert(ieee::is_negative(next<float>(0.0f, -0.0f)) && ieee::is_negative(next<double>(-0x1p-1074, 1.0)));
static_assert(next<float>(std::numeric_limits<float>::max(), ieee::infinity<float>) == ieee::infinity<float>);
static_assert(next<float>(ieee::infinity<float>, 0.0f) == std::numeric_limits<float>::max());
// Narrower types have neighbours of their own.
static_assert(next<bf16>(1.0f, 2.0f) == 0x1.02p+0f && next<f16>(1.0f, 0.0f) == 0x1.ffcp-1f);
static_assert(next<f16>(0.0f, -1.0f) == -0x1p-24f);
static_assert(next<f8E4M3FNUZ>(-0x1p-10f, 1.0f) == 0 && next<f8E4M3FNUZ>(0.0f, -1.0f) == -0x1p-10f);

}  // namespace
