// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/rsqrt.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::rsqrt{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::rsqrt{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::rsqrt{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::rsqrt{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::rsqrt{}, {i32_2x3}) == "rsqrt_i1");
static_assert(broken_by_quantized(ops::rsqrt{}, {axis0_2x3}) == "rsqrt_i1");
static_assert(broken_by(ops::rsqrt{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "rsqrt_i2");
static_assert(broken_by(ops::rsqrt{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "rsqrt_i2");
static_assert(broken_by(ops::rsqrt{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "rsqrt_i2");
static_assert(broken_by(ops::rsqrt{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::rsqrt{}, {f32_2x3}, {f32_3x2}) == "rsqrt_c1");
static_assert(broken_by_quantized(ops::rsqrt{}, {q8_2x3}, {q8_bf16_2x3}) == "rsqrt_c1");
static_assert(broken_by_quantized(ops::rsqrt{}, {q8_2x3}, {axis0_2x3}) == "rsqrt_o1");

// values
TEST_CASE("rsqrt") {
  CHECK(ops::rsqrt::element(4.0f) == 0.5f);
  CHECK(ops::rsqrt::element(0.0625) == doctest::Approx(4.0).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::rsqrt::element(ieee::nan<float>)));
}

TEST_CASE("rsqrt in lanes") { check_float_lanes(ops::rsqrt{}); }

}  // namespace
