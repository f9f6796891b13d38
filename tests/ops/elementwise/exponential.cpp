// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/exponential.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::exponential{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::exponential{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::exponential{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::exponential{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::exponential{}, {i32_2x3}) == "exponential_i1");
static_assert(broken_by_quantized(ops::exponential{}, {axis0_2x3}) == "exponential_i1");
static_assert(broken_by(ops::exponential{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "exponential_i2");
static_assert(broken_by(ops::exponential{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "exponential_i2");
static_assert(broken_by(ops::exponential{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "exponential_i2");
static_assert(broken_by(ops::exponential{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::exponential{}, {f32_2x3}, {f32_3x2}) == "exponential_c1");
static_assert(broken_by_quantized(ops::exponential{}, {q8_2x3}, {q8_bf16_2x3}) == "exponential_c1");
static_assert(broken_by_quantized(ops::exponential{}, {q8_2x3}, {axis0_2x3}) == "exponential_o1");

// values
TEST_CASE("exponential") {
  CHECK(ops::exponential::element(0.0f) == 1.0f);
  CHECK(ops::exponential::element(1.0) == doctest::Approx(2.718281828459045).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::exponential::element(ieee::nan<float>)));
}

TEST_CASE("exponential in lanes") { check_float_lanes(ops::exponential{}); }

}  // namespace
