// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/abs.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::abs{}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::abs{}, {c64_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::abs{}, {c128_2x3}) == f64_2x3);
static_assert(result_type(ops::abs{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::abs{}, {ui8_2x3}) == "abs_i1");
static_assert(broken_by(ops::abs{}, {i1_2x3}) == "abs_i1");
static_assert(broken_by_quantized(ops::abs{}, {axis0_2x3}) == "abs_i1");
static_assert(broken_by(ops::abs{}, {f32_2x3}, {f32_3x2}) == "abs_c1");
static_assert(broken_by(ops::abs{}, {c64_2x3}, {f64_2x3}) == "abs_c2");
static_assert(broken_by(ops::abs{}, {c64_2x3}, {c64_2x3}) == "abs_c2");
static_assert(broken_by_quantized(ops::abs{}, {q8_2x3}, {q8_bf16_2x3}) == "abs_c2");
static_assert(broken_by_quantized(ops::abs{}, {q8_2x3}, {axis0_2x3}) == "abs_o1");

// values
static_assert(ops::abs::element(-2) == 2 && ops::abs::element(2) == 2 && ops::abs::element(0) == 0);
static_assert(ops::abs::element(i8{-128}) == -128 && ops::abs::element(INT64_MIN) == INT64_MIN);
static_assert(ops::abs::element(-2.5f) == 2.5f && !ieee::is_negative(ops::abs::element(-0.0)));
static_assert(ieee::is_nan(ops::abs::element(ieee::nan<float>)));
static_assert(ops::abs::element(complex<float>{3, -4}) == 5 && ops::abs::element(complex<double>{1e300, 0}) == 1e300);
static_assert(ops::abs::element(complex<float>{-ieee::infinity<float>, ieee::nan<float>}) == ieee::infinity<float>);

TEST_CASE("abs in lanes") {
  check_float_lanes(ops::abs{});
  check_lanes<std::int8_t>(ops::abs{});
  check_lanes<std::int16_t>(ops::abs{});
  check_lanes<std::int32_t>(ops::abs{});
}

}  // namespace
