// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/or.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::or_{}, {i32_2x3, i32_2x3}) == i32_2x3);
static_assert(result_type(ops::or_{}, {i4_2x3, i4_2x3}, {i4_2x3}) == i4_2x3);
static_assert(result_type(ops::or_{}, {i1_2x3, i1_2x3}) == i1_2x3);

// broken rules
static_assert(broken_by(ops::or_{}, {f32_2x3, i32_2x3}) == "or_i1");
static_assert(broken_by_quantized(ops::or_{}, {q8_2x3, q8_2x3}) == "or_i1");
static_assert(broken_by(ops::or_{}, {i32_2x3, f32_2x3}) == "or_i2");
static_assert(broken_by(ops::or_{}, {i32_2x3, i32_scalar}) == "or_c1");
static_assert(broken_by(ops::or_{}, {i32_2x3, i32_2x3}, {i64_2x3}) == "or_c1");

// values
static_assert(ops::or_::element(6, 3) == 7 && ops::or_::element(std::int8_t{1}, std::int8_t{-128}) == -127);
static_assert(ops::or_::element(true, false) && !ops::or_::element(false, false));

TEST_CASE("or in lanes") {
  check_lanes<std::uint8_t, 2>(ops::or_{});
  check_lanes<std::int64_t, 2>(ops::or_{});
}

}  // namespace
