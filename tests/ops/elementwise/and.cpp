// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/and.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::and_{}, {i32_2x3, i32_2x3}) == i32_2x3);
static_assert(result_type(ops::and_{}, {i4_2x3, i4_2x3}, {i4_2x3}) == i4_2x3);
static_assert(result_type(ops::and_{}, {i1_2x3, i1_2x3}) == i1_2x3);

// broken rules
static_assert(broken_by(ops::and_{}, {f32_2x3, i32_2x3}) == "and_i1");
static_assert(broken_by_quantized(ops::and_{}, {q8_2x3, q8_2x3}) == "and_i1");
static_assert(broken_by(ops::and_{}, {i32_2x3, f32_2x3}) == "and_i2");
static_assert(broken_by(ops::and_{}, {i32_2x3, i32_scalar}) == "and_c1");
static_assert(broken_by(ops::and_{}, {i32_2x3, i32_2x3}, {i64_2x3}) == "and_c1");

// values
static_assert(ops::and_::element(6, 3) == 2 && ops::and_::element(std::int8_t{-1}, std::int8_t{-128}) == -128);
static_assert(ops::and_::element(true, true) && !ops::and_::element(true, false));

TEST_CASE("and in lanes") {
  check_lanes<std::uint8_t, 2>(ops::and_{});
  check_lanes<std::int64_t, 2>(ops::and_{});
}

}  // namespace
