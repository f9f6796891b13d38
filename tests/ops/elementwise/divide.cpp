// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/divide.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::divide{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::divide{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::divide{}, {ui8_2x3, ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::divide{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::divide{}, {i1_2x3, f32_2x3}) == "divide_i1");
static_assert(broken_by_quantized(ops::divide{}, {axis0_2x3, q8_2x3}) == "divide_i1");
static_assert(broken_by(ops::divide{}, {f32_2x3, i1_2x3}) == "divide_i2");
static_assert(broken_by(ops::divide{}, {f32_2x3, f32_3x2}) == "divide_c1");
static_assert(broken_by(ops::divide{}, {f32_2x3, f64_2x3}) == "divide_c1");
static_assert(broken_by(ops::divide{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "divide_c1");
static_assert(broken_by_quantized(ops::divide{}, {q8_2x3, q8_bf16_2x3}) == "divide_c1");
static_assert(broken_by_quantized(ops::divide{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "divide_o1");

// values
static_assert(ops::divide::element(17, -3) == -5 && ops::divide::element(-17, 3) == -5);
static_assert(ops::divide::element(17.0f, 4.0f) == 4.25f && ops::divide::element(-17.0f, 4.0f) == -4.25f);
static_assert(ops::divide::element(5, 0) == -1 && ops::divide::element(0, 0) == -1);
static_assert(ops::divide::element(std::uint8_t{5}, std::uint8_t{0}) == 255);
static_assert(ops::divide::element(INT32_MIN, -1) == INT32_MIN);
static_assert(ops::divide::element(std::int8_t{-128}, std::int8_t{-1}) == -128);
static_assert(ops::divide::element(UINT64_MAX, std::uint64_t{2}) == INT64_MAX);
static_assert(ops::divide::element(-1.0, 0.0) == -ieee::infinity<double>);
static_assert(ieee::is_nan(ops::divide::element(0.0, 0.0)));
static_assert(ops::divide::element(complex<double>{-5, 10}, complex<double>{3, 4}) == complex<double>{1, 2});
static_assert(ops::divide::element(complex<float>{1, -1}, complex<float>{0, 0}) ==
              complex<float>{ieee::infinity<float>, -ieee::infinity<float>});

TEST_CASE("divide in lanes") { check_float_lanes<2>(ops::divide{}); }

}  // namespace
