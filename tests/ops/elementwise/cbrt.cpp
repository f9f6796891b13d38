// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/cbrt.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::cbrt{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::cbrt{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::cbrt{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::cbrt{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::cbrt{}, {i32_2x3}) == "cbrt_i1");
static_assert(broken_by_quantized(ops::cbrt{}, {axis0_2x3}) == "cbrt_i1");
static_assert(broken_by(ops::cbrt{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "cbrt_i2");
static_assert(broken_by(ops::cbrt{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "cbrt_i2");
static_assert(broken_by(ops::cbrt{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "cbrt_i2");
static_assert(broken_by(ops::cbrt{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::cbrt{}, {f32_2x3}, {f32_3x2}) == "cbrt_c1");
static_assert(broken_by_quantized(ops::cbrt{}, {q8_2x3}, {q8_bf16_2x3}) == "cbrt_c1");
static_assert(broken_by_quantized(ops::cbrt{}, {q8_2x3}, {axis0_2x3}) == "cbrt_o1");

// values
TEST_CASE("cbrt") {
  CHECK(ops::cbrt::element(27.0f) == 3.0f);
  CHECK(ops::cbrt::element(8.0) == doctest::Approx(2.0).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::cbrt::element(ieee::nan<float>)));
}

TEST_CASE("cbrt in lanes") { check_float_lanes(ops::cbrt{}); }

}  // namespace
