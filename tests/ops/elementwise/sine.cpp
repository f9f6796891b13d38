// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/sine.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::sine{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::sine{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::sine{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::sine{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::sine{}, {i32_2x3}) == "sine_i1");
static_assert(broken_by_quantized(ops::sine{}, {axis0_2x3}) == "sine_i1");
static_assert(broken_by(ops::sine{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "sine_i2");
static_assert(broken_by(ops::sine{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "sine_i2");
static_assert(broken_by(ops::sine{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "sine_i2");
static_assert(broken_by(ops::sine{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::sine{}, {f32_2x3}, {f32_3x2}) == "sine_c1");
static_assert(broken_by_quantized(ops::sine{}, {q8_2x3}, {q8_bf16_2x3}) == "sine_c1");
static_assert(broken_by_quantized(ops::sine{}, {q8_2x3}, {axis0_2x3}) == "sine_o1");

// values
TEST_CASE("sine") {
  CHECK(ops::sine::element(0.0f) == 0.0f);
  CHECK(ops::sine::element(1.0) == doctest::Approx(0.8414709848078965).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::sine::element(ieee::nan<float>)));
}

TEST_CASE("sine in lanes") { check_float_lanes(ops::sine{}); }

}  // namespace
