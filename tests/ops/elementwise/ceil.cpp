// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/ceil.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::ceil{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::ceil{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::ceil{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::ceil{}, {i32_2x3}) == "ceil_i1");
static_assert(broken_by(ops::ceil{}, {c64_2x3}) == "ceil_i1");
static_assert(broken_by_quantized(ops::ceil{}, {axis0_2x3}) == "ceil_i1");
static_assert(broken_by(ops::ceil{}, {f32_2x3}, {f32_3x2}) == "ceil_c1");
static_assert(broken_by_quantized(ops::ceil{}, {q8_2x3}, {q8_bf16_2x3}) == "ceil_c1");
static_assert(broken_by_quantized(ops::ceil{}, {q8_2x3}, {axis0_2x3}) == "ceil_o1");

// values
TEST_CASE("ceil") {
  CHECK(ops::ceil::element(-0.8166) == -0.0);
  CHECK(ops::ceil::element(-0.253) == -0.0);
  CHECK(ops::ceil::element(0.253) == 1.0);
  CHECK(ops::ceil::element(0.8166) == 1.0);
  CHECK(ops::ceil::element(2.0) == 2.0);
  CHECK(ieee::is_negative(ops::ceil::element(-0.0f)));
  CHECK(ops::ceil::element(-0x1p+60f) == -0x1p+60f);
  CHECK(ops::ceil::element(ieee::infinity<double>) == ieee::infinity<double>);
  CHECK(ieee::is_nan(ops::ceil::element(ieee::nan<float>)));
}

TEST_CASE("ceil in lanes") { check_float_lanes(ops::ceil{}); }

}  // namespace
