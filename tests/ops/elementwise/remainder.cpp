// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/remainder.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::remainder{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::remainder{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::remainder{}, {ui8_2x3, ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::remainder{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::remainder{}, {i1_2x3, f32_2x3}) == "remainder_i1");
static_assert(broken_by_quantized(ops::remainder{}, {axis0_2x3, q8_2x3}) == "remainder_i1");
static_assert(broken_by(ops::remainder{}, {f32_2x3, i1_2x3}) == "remainder_i2");
static_assert(broken_by(ops::remainder{}, {f32_2x3, f32_3x2}) == "remainder_c1");
static_assert(broken_by(ops::remainder{}, {f32_2x3, f64_2x3}) == "remainder_c1");
static_assert(broken_by(ops::remainder{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "remainder_c1");
static_assert(broken_by_quantized(ops::remainder{}, {q8_2x3, q8_bf16_2x3}) == "remainder_c1");
static_assert(broken_by_quantized(ops::remainder{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "remainder_o1");

// values
static_assert(ops::remainder::element(17, 3) == 2 && ops::remainder::element(-17, 3) == -2);
static_assert(ops::remainder::element(17, -3) == 2 && ops::remainder::element(-17, -3) == -2);
static_assert(ops::remainder::element(17, 0) == 17 &&
              ops::remainder::element(std::uint8_t{200}, std::uint8_t{0}) == 200);
static_assert(ops::remainder::element(INT32_MIN, -1) == 0 && ops::remainder::element(INT64_MIN, std::int64_t{-1}) == 0);
static_assert(ops::remainder::element(UINT64_MAX, std::uint64_t{10}) == 5);

TEST_CASE("remainder") {
  CHECK(ops::remainder::element(17.5f, 3.0f) == 2.5f);
  CHECK(ops::remainder::element(-17.5f, 3.0f) == -2.5f);
  CHECK(ops::remainder::element(17.5, -3.0) == 2.5);
  CHECK(ops::remainder::element(1.0, ieee::infinity<double>) == 1.0);
  CHECK(ieee::is_negative(ops::remainder::element(-6.0, 3.0)));
  CHECK(ieee::is_nan(ops::remainder::element(1.0, 0.0)));
  CHECK(ieee::is_nan(ops::remainder::element(ieee::infinity<float>, 2.0f)));
  CHECK(ops::remainder::element(complex<double>{7, 5}, complex<double>{3, 0}) == complex<double>{1, 2});
}

TEST_CASE("remainder in lanes") { check_float_lanes<2>(ops::remainder{}); }

}  // namespace
