// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/tan.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::tan{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::tan{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::tan{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::tan{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::tan{}, {i32_2x3}) == "tan_i1");
static_assert(broken_by_quantized(ops::tan{}, {axis0_2x3}) == "tan_i1");
static_assert(broken_by(ops::tan{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "tan_i2");
static_assert(broken_by(ops::tan{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "tan_i2");
static_assert(broken_by(ops::tan{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "tan_i2");
static_assert(broken_by(ops::tan{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::tan{}, {f32_2x3}, {f32_3x2}) == "tan_c1");
static_assert(broken_by_quantized(ops::tan{}, {q8_2x3}, {q8_bf16_2x3}) == "tan_c1");
static_assert(broken_by_quantized(ops::tan{}, {q8_2x3}, {axis0_2x3}) == "tan_o1");

// values
TEST_CASE("tan") {
  CHECK(ops::tan::element(0.0f) == 0.0f);
  CHECK(ops::tan::element(1.0) == doctest::Approx(1.5574077246549023).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::tan::element(ieee::nan<float>)));
}

TEST_CASE("tan in lanes") { check_float_lanes(ops::tan{}); }

}  // namespace
