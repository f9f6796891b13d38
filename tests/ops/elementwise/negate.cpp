// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/negate.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::negate{}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::negate{}, {ui8_2x3}, {ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::negate{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::negate{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::negate{}, {i1_2x3}) == "negate_i1");
static_assert(broken_by_quantized(ops::negate{}, {axis0_2x3}) == "negate_i1");
static_assert(broken_by(ops::negate{}, {f32_2x3}, {f32_3x2}) == "negate_c1");
static_assert(broken_by(ops::negate{}, {f32_2x3}, {f64_2x3}) == "negate_c1");
static_assert(broken_by_quantized(ops::negate{}, {q8_2x3}, {axis0_2x3}) == "negate_o1");

// values
static_assert(ops::negate::element(0) == 0 && ops::negate::element(-2) == 2);
static_assert(ops::negate::element(INT32_MIN) == INT32_MIN && ops::negate::element(i8{-128}) == -128);
static_assert(ops::negate::element(ui16{256}) == 65280 && ops::negate::element(ui16{65535}) == 1);
static_assert(ops::negate::element(2.5f) == -2.5f && ieee::is_negative(ops::negate::element(0.0)));
static_assert(ieee::is_negative(ops::negate::element(ieee::nan<float>)));
static_assert(ops::negate::element(complex<float>{2.5f, 0}).real == -2.5f);
static_assert(ieee::is_negative(ops::negate::element(complex<float>{2.5f, 0}).imag));

TEST_CASE("negate in lanes") {
  check_float_lanes(ops::negate{});
  check_lanes<std::int8_t>(ops::negate{});
  check_lanes<std::int32_t>(ops::negate{});
  check_lanes<std::int64_t>(ops::negate{});
}

}  // namespace
