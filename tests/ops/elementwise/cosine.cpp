// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/cosine.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::cosine{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::cosine{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::cosine{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::cosine{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::cosine{}, {i32_2x3}) == "cosine_i1");
static_assert(broken_by_quantized(ops::cosine{}, {axis0_2x3}) == "cosine_i1");
static_assert(broken_by(ops::cosine{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) == "cosine_i2");
static_assert(broken_by(ops::cosine{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) == "cosine_i2");
static_assert(broken_by(ops::cosine{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) == "cosine_i2");
static_assert(broken_by(ops::cosine{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::cosine{}, {f32_2x3}, {f32_3x2}) == "cosine_c1");
static_assert(broken_by_quantized(ops::cosine{}, {q8_2x3}, {q8_bf16_2x3}) == "cosine_c1");
static_assert(broken_by_quantized(ops::cosine{}, {q8_2x3}, {axis0_2x3}) == "cosine_o1");

// values
TEST_CASE("cosine") {
  CHECK(ops::cosine::element(0.0f) == 1.0f);
  CHECK(ops::cosine::element(0.0) == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::cosine::element(ieee::nan<float>)));
}

TEST_CASE("cosine in lanes") { check_float_lanes(ops::cosine{}); }

}  // namespace
