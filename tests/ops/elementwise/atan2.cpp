// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/atan2.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::atan2{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::atan2{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::atan2{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::atan2{}, {i32_2x3, f32_2x3}) == "atan2_i1");
static_assert(broken_by_quantized(ops::atan2{}, {axis0_2x3, q8_2x3}) == "atan2_i1");
static_assert(broken_by(ops::atan2{}, {f32_2x3, i32_2x3}) == "atan2_i2");
static_assert(broken_by(ops::atan2{}, {f32_2x3, f32_3x2}) == "atan2_c1");
static_assert(broken_by(ops::atan2{}, {f32_2x3, f64_2x3}) == "atan2_c1");
static_assert(broken_by(ops::atan2{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "atan2_c1");
static_assert(broken_by_quantized(ops::atan2{}, {q8_2x3, q8_bf16_2x3}) == "atan2_c1");
static_assert(broken_by_quantized(ops::atan2{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "atan2_o1");

// values
TEST_CASE("atan2") {
  CHECK(ops::atan2::element(0.0, 0.0) == 0.0);
  CHECK(ops::atan2::element(1.0, 0.0) == 1.5707963267948966);
  CHECK(ops::atan2::element(-1.0, 0.0) == -1.5707963267948966);
  CHECK(ops::atan2::element(0.0f, -1.0f) == 3.1415927f);
  CHECK(ops::atan2::element(-0.0f, -1.0f) == -3.1415927f);
  CHECK(ieee::is_negative(ops::atan2::element(-0.0, 1.0)));
  CHECK(ieee::is_nan(ops::atan2::element(ieee::nan<float>, 1.0f)));
}

TEST_CASE("atan2 in lanes") { check_float_lanes<2>(ops::atan2{}); }

}  // namespace
