// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/floor.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::floor{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::floor{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::floor{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::floor{}, {i32_2x3}) == "floor_i1");
static_assert(broken_by(ops::floor{}, {c64_2x3}) == "floor_i1");
static_assert(broken_by_quantized(ops::floor{}, {axis0_2x3}) == "floor_i1");
static_assert(broken_by(ops::floor{}, {f32_2x3}, {f32_3x2}) == "floor_c1");
static_assert(broken_by_quantized(ops::floor{}, {q8_2x3}, {q8_bf16_2x3}) == "floor_c1");
static_assert(broken_by_quantized(ops::floor{}, {q8_2x3}, {axis0_2x3}) == "floor_o1");

// values
TEST_CASE("floor") {
  CHECK(ops::floor::element(-0.8166) == -1.0);
  CHECK(ops::floor::element(-0.253) == -1.0);
  CHECK(ops::floor::element(0.253) == 0.0);
  CHECK(ops::floor::element(0.8166) == 0.0);
  CHECK(ops::floor::element(2.0) == 2.0);
  CHECK(ieee::is_negative(ops::floor::element(-0.0f)));
  CHECK(ops::floor::element(-0x1p+60f) == -0x1p+60f);
  CHECK(ops::floor::element(ieee::infinity<double>) == ieee::infinity<double>);
  CHECK(ieee::is_nan(ops::floor::element(ieee::nan<float>)));
}

TEST_CASE("floor in lanes") { check_float_lanes(ops::floor{}); }

}  // namespace
