// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/xor.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::xor_{}, {i32_2x3, i32_2x3}) == i32_2x3);
static_assert(result_type(ops::xor_{}, {i4_2x3, i4_2x3}, {i4_2x3}) == i4_2x3);
static_assert(result_type(ops::xor_{}, {i1_2x3, i1_2x3}) == i1_2x3);

// broken rules
static_assert(broken_by(ops::xor_{}, {f32_2x3, i32_2x3}) == "xor_i1");
static_assert(broken_by_quantized(ops::xor_{}, {q8_2x3, q8_2x3}) == "xor_i1");
static_assert(broken_by(ops::xor_{}, {i32_2x3, f32_2x3}) == "xor_i2");
static_assert(broken_by(ops::xor_{}, {i32_2x3, i32_scalar}) == "xor_c1");
static_assert(broken_by(ops::xor_{}, {i32_2x3, i32_2x3}, {i64_2x3}) == "xor_c1");

// values
static_assert(ops::xor_::element(6, 3) == 5 && ops::xor_::element(std::int8_t{-1}, std::int8_t{1}) == -2);
static_assert(ops::xor_::element(true, false) && !ops::xor_::element(true, true));

TEST_CASE("xor in lanes") {
  check_lanes<std::uint8_t, 2>(ops::xor_{});
  check_lanes<std::int64_t, 2>(ops::xor_{});
}

}  // namespace
