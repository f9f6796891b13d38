// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/log.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::log{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::log{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::log{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::log{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::log{}, {i32_2x3}) == "log_i1");
static_assert(broken_by_quantized(ops::log{}, {axis0_2x3}) == "log_i1");
static_assert(broken_by(ops::log{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "log_i2");
static_assert(broken_by(ops::log{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "log_i2");
static_assert(broken_by(ops::log{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "log_i2");
static_assert(broken_by(ops::log{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::log{}, {f32_2x3}, {f32_3x2}) == "log_c1");
static_assert(broken_by_quantized(ops::log{}, {q8_2x3}, {q8_bf16_2x3}) == "log_c1");
static_assert(broken_by_quantized(ops::log{}, {q8_2x3}, {axis0_2x3}) == "log_o1");

// values
TEST_CASE("log") {
  CHECK(ops::log::element(1.0f) == 0.0f);
  CHECK(ops::log::element(2.0) == doctest::Approx(0.6931471805599453).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::log::element(ieee::nan<float>)));
}

TEST_CASE("log in lanes") { check_float_lanes(ops::log{}); }

}  // namespace
