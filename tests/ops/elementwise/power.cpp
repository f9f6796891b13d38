// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/power.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::power{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::power{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::power{}, {ui8_2x3, ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::power{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::power{}, {i1_2x3, f32_2x3}) == "power_i1");
static_assert(broken_by_quantized(ops::power{}, {axis0_2x3, q8_2x3}) == "power_i1");
static_assert(broken_by(ops::power{}, {f32_2x3, i1_2x3}) == "power_i2");
static_assert(broken_by(ops::power{}, {f32_2x3, f32_3x2}) == "power_c1");
static_assert(broken_by(ops::power{}, {f32_2x3, f64_2x3}) == "power_c1");
static_assert(broken_by(ops::power{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "power_c1");
static_assert(broken_by_quantized(ops::power{}, {q8_2x3, q8_bf16_2x3}) == "power_c1");
static_assert(broken_by_quantized(ops::power{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "power_o1");

// values
static_assert(ops::power::element(3, 4) == 81 && ops::power::element(-2, 3) == -8 && ops::power::element(5, 0) == 1);
static_assert(ops::power::element(0, 0) == 1);
static_assert(ops::power::element(std::int8_t{2}, std::int8_t{7}) == -128);
static_assert(ops::power::element(std::uint8_t{3}, std::uint8_t{255}) == 171);
static_assert(ops::power::element(1, -5) == 1 && ops::power::element(-1, -5) == -1 && ops::power::element(-1, -4) == 1);
static_assert(ops::power::element(2, -1) == 0 && ops::power::element(0, -1) == 0);
static_assert(ops::power::element(std::int64_t{-1}, INT64_MIN) == 1);
static_assert(ops::power::element(UINT64_MAX, std::uint64_t{2}) == 1);

TEST_CASE("power") {
  CHECK(ops::power::element(-2.0, 2.0) == 4.0);
  CHECK(ops::power::element(-0.0, 2.0) == 0.0);
  CHECK(ieee::is_nan(ops::power::element(-36.0, 1.1)));
  CHECK(ops::power::element(3.0f, -1.0f) == 0.33333334f);
  CHECK(ops::power::element(10000.0, 10.0) == doctest::Approx(1e40).epsilon(1e-15));
}

TEST_CASE("power in lanes") {
  check_float_lanes<2>(ops::power{});
  check_lanes<std::int16_t, 2>(ops::power{});
  check_lanes<std::uint16_t, 2>(ops::power{});
  check_lanes<std::int32_t, 2>(ops::power{});
  check_lanes<std::uint32_t, 2>(ops::power{});
  check_lanes<std::int64_t, 2>(ops::power{});
  check_lanes<std::uint64_t, 2>(ops::power{});
}

}  // namespace
