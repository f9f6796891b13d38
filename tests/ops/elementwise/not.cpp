// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/not.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::not_{}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::not_{}, {i4_2x3}, {i4_2x3}) == i4_2x3);
static_assert(result_type(ops::not_{}, {i1_2x3}) == i1_2x3);

// broken rules
static_assert(broken_by(ops::not_{}, {f32_2x3}) == "not_i1");
static_assert(broken_by_quantized(ops::not_{}, {q8_2x3}) == "not_i1");
static_assert(broken_by(ops::not_{}, {i32_2x3}, {i64_2x3}) == "not_c1");
static_assert(broken_by(ops::not_{}, {i32_2x3}, {i32_scalar}) == "not_c1");

// values
static_assert(ops::not_::element(1) == -2 && ops::not_::element(std::uint8_t{1}) == 254);
static_assert(ops::not_::element(false) && !ops::not_::element(true));

TEST_CASE("not in lanes") {
  check_lanes<std::uint8_t>(ops::not_{});
  check_lanes<std::int64_t>(ops::not_{});
}

}  // namespace
