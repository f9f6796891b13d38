// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/select.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

// types
static_assert(result_type(ops::select{}, {i1_2x3, f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::select{}, {i1_scalar, i32_2x3, i32_2x3}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::select{}, {i1_2x3, q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) ==
              q4_2x3);

// broken rules
static_assert(broken_by(ops::select{}, {ui8_2x3, f32_2x3, f32_2x3}) == "select_i1");
static_assert(broken_by_quantized(ops::select{}, {i1_2x3, axis0_2x3, axis0_2x3}) == "select_i2");
static_assert(broken_by(ops::select{}, {i1_2x3, f32_2x3, token}) == "select_i3");
static_assert(broken_by(ops::select{}, {i1_2x3, f32_3x2, f32_3x2}) == "select_c1");
static_assert(broken_by(ops::select{}, {i1_2x3, f32_2x3, f64_2x3}) == "select_c2");
static_assert(broken_by(ops::select{}, {i1_scalar, f32_2x3, f32_3x2}) == "select_c2");
static_assert(broken_by(ops::select{}, {i1_2x3, f32_2x3, f32_2x3}, {f64_2x3}) == "select_c2");
static_assert(broken_by_quantized(ops::select{}, {i1_2x3, q8_2x3, q8_2x3}, {axis0_2x3}) == "select_o1");

// values
static_assert(ops::select::element(true, 1, 5) == 1 && ops::select::element(false, 1, 5) == 5);
static_assert(ops::select::element(false, complex<float>{1, 2}, complex<float>{3, 4}) == complex<float>{3, 4});

TEST_CASE("select in lanes") {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, 1.0f), y = hn::Set(d, 2.0f);
  CHECK(hn::GetLane(ops::select::lanes(d, hn::Lt(x, y), x, y)) == 1.0f);
  CHECK(hn::GetLane(ops::select::lanes(d, hn::Lt(y, x), x, y)) == 2.0f);
}

}  // namespace
