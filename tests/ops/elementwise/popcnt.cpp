// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/popcnt.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::popcnt{}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::popcnt{}, {i4_2x3}, {i4_2x3}) == i4_2x3);

// broken rules
static_assert(broken_by(ops::popcnt{}, {i1_2x3}) == "popcnt_i1");
static_assert(broken_by_quantized(ops::popcnt{}, {q8_2x3}) == "popcnt_i1");
static_assert(broken_by(ops::popcnt{}, {i32_2x3}, {i64_2x3}) == "popcnt_c1");
static_assert(broken_by(ops::popcnt{}, {i32_2x3}, {i32_scalar}) == "popcnt_c1");

// values
static_assert(ops::popcnt::element<i64>(i64{127}) == 7 && ops::popcnt::element<i64>(i64{-1}) == 64);
static_assert(ops::popcnt::element<i8>(i8{-128}) == 1 && ops::popcnt::element<ui32>(ui32{0}) == 0);
// Integers of 4 bits stand in 8, where the sign is repeated.
static_assert(ops::popcnt::element<i4>(i8{-1}) == 4 && ops::popcnt::element<i4>(i8{-8}) == 1);
static_assert(ops::popcnt::element<ui2>(ui8{3}) == 2);

}  // namespace
