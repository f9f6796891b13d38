// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/round_nearest_even.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::round_nearest_even{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::round_nearest_even{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::round_nearest_even{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) ==
              other_scale_2x3);

// broken rules
static_assert(broken_by(ops::round_nearest_even{}, {i32_2x3}) == "round_nearest_even_i1");
static_assert(broken_by(ops::round_nearest_even{}, {c64_2x3}) == "round_nearest_even_i1");
static_assert(broken_by_quantized(ops::round_nearest_even{}, {axis0_2x3}) == "round_nearest_even_i1");
static_assert(broken_by(ops::round_nearest_even{}, {f32_2x3}, {f32_3x2}) == "round_nearest_even_c1");
static_assert(broken_by_quantized(ops::round_nearest_even{}, {q8_2x3}, {q8_bf16_2x3}) == "round_nearest_even_c1");
static_assert(broken_by_quantized(ops::round_nearest_even{}, {q8_2x3}, {axis0_2x3}) == "round_nearest_even_o1");

// values
TEST_CASE("round_nearest_even") {
  CHECK(ops::round_nearest_even::element(-2.5) == -2.0);
  CHECK(ops::round_nearest_even::element(0.4) == 0.0);
  CHECK(ops::round_nearest_even::element(0.5) == 0.0);
  CHECK(ops::round_nearest_even::element(0.6) == 1.0);
  CHECK(ops::round_nearest_even::element(2.5) == 2.0);
  CHECK(ieee::is_negative(ops::round_nearest_even::element(-0.0f)));
  CHECK(ops::round_nearest_even::element(-0x1p+60f) == -0x1p+60f);
  CHECK(ops::round_nearest_even::element(ieee::infinity<double>) == ieee::infinity<double>);
  CHECK(ieee::is_nan(ops::round_nearest_even::element(ieee::nan<float>)));
}

TEST_CASE("round_nearest_even in lanes") { check_float_lanes(ops::round_nearest_even{}); }

}  // namespace
