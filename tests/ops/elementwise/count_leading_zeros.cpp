// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/count_leading_zeros.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::count_leading_zeros{}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::count_leading_zeros{}, {i4_2x3}, {i4_2x3}) == i4_2x3);

// broken rules
static_assert(broken_by(ops::count_leading_zeros{}, {i1_2x3}) == "count_leading_zeros_i1");
static_assert(broken_by_quantized(ops::count_leading_zeros{}, {q8_2x3}) == "count_leading_zeros_i1");
static_assert(broken_by(ops::count_leading_zeros{}, {i32_2x3}, {i64_2x3}) == "count_leading_zeros_c1");
static_assert(broken_by(ops::count_leading_zeros{}, {i32_2x3}, {i32_scalar}) == "count_leading_zeros_c1");

// values
static_assert(ops::count_leading_zeros::element<i64>(i64{0}) == 64 &&
              ops::count_leading_zeros::element<i64>(i64{1}) == 63);
static_assert(ops::count_leading_zeros::element<i64>(i64{128}) == 56 &&
              ops::count_leading_zeros::element<i64>(i64{-1}) == 0);
static_assert(ops::count_leading_zeros::element<ui8>(ui8{1}) == 7 &&
              ops::count_leading_zeros::element<ui16>(ui16{255}) == 8);
static_assert(ops::count_leading_zeros::element<i4>(i8{0}) == 4 && ops::count_leading_zeros::element<i4>(i8{-8}) == 0);
static_assert(ops::count_leading_zeros::element<ui4>(ui8{3}) == 2);

}  // namespace
