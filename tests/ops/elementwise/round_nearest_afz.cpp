// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/round_nearest_afz.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::round_nearest_afz{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::round_nearest_afz{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::round_nearest_afz{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) ==
              other_scale_2x3);

// broken rules
static_assert(broken_by(ops::round_nearest_afz{}, {i32_2x3}) == "round_nearest_afz_i1");
static_assert(broken_by(ops::round_nearest_afz{}, {c64_2x3}) == "round_nearest_afz_i1");
static_assert(broken_by_quantized(ops::round_nearest_afz{}, {axis0_2x3}) == "round_nearest_afz_i1");
static_assert(broken_by(ops::round_nearest_afz{}, {f32_2x3}, {f32_3x2}) == "round_nearest_afz_c1");
static_assert(broken_by_quantized(ops::round_nearest_afz{}, {q8_2x3}, {q8_bf16_2x3}) == "round_nearest_afz_c1");
static_assert(broken_by_quantized(ops::round_nearest_afz{}, {q8_2x3}, {axis0_2x3}) == "round_nearest_afz_o1");

// values
TEST_CASE("round_nearest_afz") {
  CHECK(ops::round_nearest_afz::element(-2.5) == -3.0);
  CHECK(ops::round_nearest_afz::element(0.4) == 0.0);
  CHECK(ops::round_nearest_afz::element(0.5) == 1.0);
  CHECK(ops::round_nearest_afz::element(0.6) == 1.0);
  CHECK(ops::round_nearest_afz::element(2.5) == 3.0);
  CHECK(ieee::is_negative(ops::round_nearest_afz::element(-0.0f)));
  CHECK(ops::round_nearest_afz::element(-0x1p+60f) == -0x1p+60f);
  CHECK(ops::round_nearest_afz::element(ieee::infinity<double>) == ieee::infinity<double>);
  CHECK(ieee::is_nan(ops::round_nearest_afz::element(ieee::nan<float>)));
}

TEST_CASE("round_nearest_afz in lanes") { check_float_lanes(ops::round_nearest_afz{}); }

}  // namespace
