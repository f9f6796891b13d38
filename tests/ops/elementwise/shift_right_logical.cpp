// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/shift_right_logical.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::shift_right_logical{}, {i32_2x3, i32_2x3}) == i32_2x3);
static_assert(result_type(ops::shift_right_logical{}, {i4_2x3, i4_2x3}, {i4_2x3}) == i4_2x3);

// broken rules
static_assert(broken_by(ops::shift_right_logical{}, {i1_2x3, i32_2x3}) == "shift_right_logical_i1");
static_assert(broken_by_quantized(ops::shift_right_logical{}, {q8_2x3, q8_2x3}) == "shift_right_logical_i1");
static_assert(broken_by(ops::shift_right_logical{}, {i32_2x3, i1_2x3}) == "shift_right_logical_i2");
static_assert(broken_by(ops::shift_right_logical{}, {i32_2x3, i32_scalar}) == "shift_right_logical_c1");
static_assert(broken_by(ops::shift_right_logical{}, {i32_2x3, i32_2x3}, {i64_2x3}) == "shift_right_logical_c1");

// values
static_assert(ops::shift_right_logical::element<i64>(i64{-1}, i64{1}) == INT64_MAX);
static_assert(ops::shift_right_logical::element<i64>(i64{8}, i64{3}) == 1);
static_assert(ops::shift_right_logical::element<i32>(-1, 31) == 1 &&
              ops::shift_right_logical::element<i32>(-1, 32) == 0);
static_assert(ops::shift_right_logical::element<i32>(-1, -1) == 0);
static_assert(ops::shift_right_logical::element<i8>(i8{-128}, i8{7}) == 1);
static_assert(ops::shift_right_logical::element<ui16>(ui16{65535}, ui16{15}) == 1);
static_assert(ops::shift_right_logical::element<i4>(i8{-8}, i8{3}) == 1);
static_assert(ops::shift_right_logical::element<i4>(i8{-1}, i8{4}) == 0);

TEST_CASE("shift_right_logical in lanes") {
  check_lanes<std::int64_t, 2>(ops::shift_right_logical{});
  check_lanes<std::int32_t, 2>(ops::shift_right_logical{});
  check_lanes<std::uint32_t, 2>(ops::shift_right_logical{});
  check_lanes<std::uint64_t, 2>(ops::shift_right_logical{});
}

}  // namespace
