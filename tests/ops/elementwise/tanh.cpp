// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/tanh.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::tanh{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::tanh{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::tanh{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::tanh{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::tanh{}, {i32_2x3}) == "tanh_i1");
static_assert(broken_by_quantized(ops::tanh{}, {axis0_2x3}) == "tanh_i1");
static_assert(broken_by(ops::tanh{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "tanh_i2");
static_assert(broken_by(ops::tanh{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "tanh_i2");
static_assert(broken_by(ops::tanh{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "tanh_i2");
static_assert(broken_by(ops::tanh{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::tanh{}, {f32_2x3}, {f32_3x2}) == "tanh_c1");
static_assert(broken_by_quantized(ops::tanh{}, {q8_2x3}, {q8_bf16_2x3}) == "tanh_c1");
static_assert(broken_by_quantized(ops::tanh{}, {q8_2x3}, {axis0_2x3}) == "tanh_o1");

// values
TEST_CASE("tanh") {
  CHECK(ops::tanh::element(0.0f) == 0.0f);
  CHECK(ops::tanh::element(1.0) == doctest::Approx(0.7615941559557649).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::tanh::element(ieee::nan<float>)));
}

TEST_CASE("tanh in lanes") { check_float_lanes(ops::tanh{}); }

}  // namespace
