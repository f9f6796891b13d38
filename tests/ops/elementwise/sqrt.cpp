// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/sqrt.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::sqrt{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::sqrt{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::sqrt{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::sqrt{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::sqrt{}, {i32_2x3}) == "sqrt_i1");
static_assert(broken_by_quantized(ops::sqrt{}, {axis0_2x3}) == "sqrt_i1");
static_assert(broken_by(ops::sqrt{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "sqrt_i2");
static_assert(broken_by(ops::sqrt{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "sqrt_i2");
static_assert(broken_by(ops::sqrt{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "sqrt_i2");
static_assert(broken_by(ops::sqrt{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::sqrt{}, {f32_2x3}, {f32_3x2}) == "sqrt_c1");
static_assert(broken_by_quantized(ops::sqrt{}, {q8_2x3}, {q8_bf16_2x3}) == "sqrt_c1");
static_assert(broken_by_quantized(ops::sqrt{}, {q8_2x3}, {axis0_2x3}) == "sqrt_o1");

// values
TEST_CASE("sqrt") {
  CHECK(ops::sqrt::element(9.0f) == 3.0f);
  CHECK(ops::sqrt::element(2.25) == doctest::Approx(1.5).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::sqrt::element(ieee::nan<float>)));
}

TEST_CASE("sqrt in lanes") { check_float_lanes(ops::sqrt{}); }

}  // namespace
