// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/subtract.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::subtract{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::subtract{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::subtract{}, {ui8_2x3, ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::subtract{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::subtract{}, {i1_2x3, f32_2x3}) == "subtract_i1");
static_assert(broken_by_quantized(ops::subtract{}, {axis0_2x3, q8_2x3}) == "subtract_i1");
static_assert(broken_by(ops::subtract{}, {f32_2x3, i1_2x3}) == "subtract_i2");
static_assert(broken_by(ops::subtract{}, {f32_2x3, f32_3x2}) == "subtract_c1");
static_assert(broken_by(ops::subtract{}, {f32_2x3, f64_2x3}) == "subtract_c1");
static_assert(broken_by(ops::subtract{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "subtract_c1");
static_assert(broken_by_quantized(ops::subtract{}, {q8_2x3, q8_bf16_2x3}) == "subtract_c1");
static_assert(broken_by_quantized(ops::subtract{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "subtract_o1");

// values
static_assert(ops::subtract::element(6, 5) == 1);
static_assert(ops::subtract::element(std::int8_t{-128}, std::int8_t{1}) == 127);
static_assert(ops::subtract::element(0u, 1u) == 4294967295u);
static_assert(ops::subtract::element(1.5f, 2.0f) == -0.5f);
static_assert(ieee::is_nan(ops::subtract::element(ieee::infinity<double>, ieee::infinity<double>)));
static_assert(ops::subtract::element(complex<float>{1, 2}, complex<float>{3, 5}) == complex<float>{-2, -3});

TEST_CASE("subtract in lanes") {
  check_float_lanes<2>(ops::subtract{});
  check_lanes<std::int8_t, 2>(ops::subtract{});
  check_lanes<std::uint32_t, 2>(ops::subtract{});
  check_lanes<std::int64_t, 2>(ops::subtract{});
}

}  // namespace
