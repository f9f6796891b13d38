// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/shift_right_arithmetic.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::shift_right_arithmetic{}, {i32_2x3, i32_2x3}) == i32_2x3);
static_assert(result_type(ops::shift_right_arithmetic{}, {i4_2x3, i4_2x3}, {i4_2x3}) == i4_2x3);

// broken rules
static_assert(broken_by(ops::shift_right_arithmetic{}, {i1_2x3, i32_2x3}) == "shift_right_arithmetic_i1");
static_assert(broken_by_quantized(ops::shift_right_arithmetic{}, {q8_2x3, q8_2x3}) == "shift_right_arithmetic_i1");
static_assert(broken_by(ops::shift_right_arithmetic{}, {i32_2x3, i1_2x3}) == "shift_right_arithmetic_i2");
static_assert(broken_by(ops::shift_right_arithmetic{}, {i32_2x3, i32_scalar}) == "shift_right_arithmetic_c1");
static_assert(broken_by(ops::shift_right_arithmetic{}, {i32_2x3, i32_2x3}, {i64_2x3}) == "shift_right_arithmetic_c1");

// values
static_assert(ops::shift_right_arithmetic::element<i64>(i64{-1}, i64{1}) == -1);
static_assert(ops::shift_right_arithmetic::element<i64>(i64{8}, i64{3}) == 1);
static_assert(ops::shift_right_arithmetic::element<i32>(-8, 1) == -4);
static_assert(ops::shift_right_arithmetic::element<i32>(INT32_MIN, 32) == -1);
static_assert(ops::shift_right_arithmetic::element<i32>(INT32_MAX, -1) == 0);
static_assert(ops::shift_right_arithmetic::element<ui8>(ui8{128}, ui8{7}) == 255);
static_assert(ops::shift_right_arithmetic::element<ui8>(ui8{127}, ui8{200}) == 0);
static_assert(ops::shift_right_arithmetic::element<i4>(i8{-8}, i8{3}) == -1);
static_assert(ops::shift_right_arithmetic::element<i4>(i8{7}, i8{-1}) == 0);
static_assert(ui4(ops::shift_right_arithmetic::element<ui4>(ui8{8}, ui8{1})) == ui4(12));

TEST_CASE("shift_right_arithmetic in lanes") {
  check_lanes<std::int64_t, 2>(ops::shift_right_arithmetic{});
  check_lanes<std::int32_t, 2>(ops::shift_right_arithmetic{});
  check_lanes<std::uint32_t, 2>(ops::shift_right_arithmetic{});
  check_lanes<std::uint64_t, 2>(ops::shift_right_arithmetic{});
}

}  // namespace
