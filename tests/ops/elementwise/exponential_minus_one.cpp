// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/exponential_minus_one.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::exponential_minus_one{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::exponential_minus_one{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::exponential_minus_one{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::exponential_minus_one{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) ==
              other_scale_2x3);

// broken rules
static_assert(broken_by(ops::exponential_minus_one{}, {i32_2x3}) == "exponential_minus_one_i1");
static_assert(broken_by_quantized(ops::exponential_minus_one{}, {axis0_2x3}) == "exponential_minus_one_i1");
static_assert(broken_by(ops::exponential_minus_one{{0, 0, 1, result_accuracy_mode::DEFAULT}}, {f32_2x3}) ==
              "exponential_minus_one_i2");
static_assert(broken_by(ops::exponential_minus_one{{1, 0, 0, result_accuracy_mode::HIGHEST}}, {f32_2x3}) ==
              "exponential_minus_one_i2");
static_assert(broken_by(ops::exponential_minus_one{{0, -1, 0, result_accuracy_mode::TOLERANCE}}, {f32_2x3}) ==
              "exponential_minus_one_i2");
static_assert(broken_by(ops::exponential_minus_one{{1, 1, 5, result_accuracy_mode::TOLERANCE}}, {f32_2x3}).empty());
static_assert(broken_by(ops::exponential_minus_one{}, {f32_2x3}, {f32_3x2}) == "exponential_minus_one_c1");
static_assert(broken_by_quantized(ops::exponential_minus_one{}, {q8_2x3}, {q8_bf16_2x3}) == "exponential_minus_one_c1");
static_assert(broken_by_quantized(ops::exponential_minus_one{}, {q8_2x3}, {axis0_2x3}) == "exponential_minus_one_o1");

// values
TEST_CASE("exponential_minus_one") {
  CHECK(ops::exponential_minus_one::element(0.0f) == 0.0f);
  CHECK(ops::exponential_minus_one::element(1.0) == doctest::Approx(1.718281828459045).epsilon(1e-15));
  CHECK(ieee::is_nan(ops::exponential_minus_one::element(ieee::nan<float>)));
}

TEST_CASE("exponential_minus_one in lanes") { check_float_lanes(ops::exponential_minus_one{}); }

}  // namespace
