// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/logistic.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::logistic{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::logistic{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::logistic{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::logistic{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::logistic{}, {i32_2x3}) == "logistic_i1");
static_assert(broken_by_quantized(ops::logistic{}, {axis0_2x3}) == "logistic_i1");
static_assert(broken_by(ops::logistic{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "logistic_i2");
static_assert(broken_by(ops::logistic{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "logistic_i2");
static_assert(broken_by(ops::logistic{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "logistic_i2");
static_assert(broken_by(ops::logistic{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::logistic{}, {f32_2x3}, {f32_3x2}) == "logistic_c1");
static_assert(broken_by_quantized(ops::logistic{}, {q8_2x3}, {q8_bf16_2x3}) == "logistic_c1");
static_assert(broken_by_quantized(ops::logistic{}, {q8_2x3}, {axis0_2x3}) == "logistic_o1");

// values
TEST_CASE("logistic") {
  CHECK(ops::logistic::element(0.0f) == 0.5f);
  CHECK(ops::logistic::element(1.0) == doctest::Approx(0.7310585786300049).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::logistic::element(ieee::nan<float>)));
}

TEST_CASE("logistic in lanes") { check_float_lanes(ops::logistic{}); }

}  // namespace
