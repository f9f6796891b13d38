// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/shift_left.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::shift_left{}, {i32_2x3, i32_2x3}) == i32_2x3);
static_assert(result_type(ops::shift_left{}, {i4_2x3, i4_2x3}, {i4_2x3}) == i4_2x3);

// broken rules
static_assert(broken_by(ops::shift_left{}, {i1_2x3, i32_2x3}) == "shift_left_i1");
static_assert(broken_by_quantized(ops::shift_left{}, {q8_2x3, q8_2x3}) == "shift_left_i1");
static_assert(broken_by(ops::shift_left{}, {i32_2x3, i1_2x3}) == "shift_left_i2");
static_assert(broken_by(ops::shift_left{}, {i32_2x3, i32_scalar}) == "shift_left_c1");
static_assert(broken_by(ops::shift_left{}, {i32_2x3, i32_2x3}, {i64_2x3}) == "shift_left_c1");

// values
static_assert(ops::shift_left::element<i64>(i64{-1}, i64{1}) == -2 &&
              ops::shift_left::element<i64>(i64{1}, i64{3}) == 8);
static_assert(ops::shift_left::element<i32>(1, 31) == INT32_MIN && ops::shift_left::element<i32>(1, 32) == 0);
static_assert(ops::shift_left::element<i32>(1, -1) == 0 && ops::shift_left::element<i64>(i64{1}, INT64_MIN) == 0);
static_assert(ops::shift_left::element<ui16>(ui16{65535}, ui16{15}) == 32768);
static_assert(ops::shift_left::element<ui8>(ui8{255}, ui8{8}) == 0);
static_assert(i4(ops::shift_left::element<i4>(i8{-7}, i8{1})) == i4(2));
static_assert(ops::shift_left::element<i4>(i8{-1}, i8{4}) == 0);

TEST_CASE("shift_left in lanes") {
  check_lanes<std::int64_t, 2>(ops::shift_left{});
  check_lanes<std::int32_t, 2>(ops::shift_left{});
  check_lanes<std::uint32_t, 2>(ops::shift_left{});
  check_lanes<std::uint64_t, 2>(ops::shift_left{});
}

}  // namespace
