// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/is_finite.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::is_finite{}, {f32_2x3}) == i1_2x3);
static_assert(result_type(ops::is_finite{}, {bf16_2x3}, {i1_2x3}) == i1_2x3);
static_assert(result_type(ops::is_finite{}, {q8_2x3}, {}, {}, &quantized_details) == i1_2x3);

// broken rules
static_assert(broken_by(ops::is_finite{}, {i32_2x3}) == "is_finite_i1");
static_assert(broken_by(ops::is_finite{}, {c64_2x3}) == "is_finite_i1");
static_assert(broken_by_quantized(ops::is_finite{}, {axis0_2x3}) == "is_finite_i1");
static_assert(broken_by(ops::is_finite{}, {f32_2x3}, {i1_scalar}) == "is_finite_c1");
static_assert(broken_by(ops::is_finite{}, {f32_2x3}, {f32_2x3}) == "is_finite_o1");

// values
static_assert(ops::is_finite::element(-10.0) && ops::is_finite::element(-0.0f) && ops::is_finite::element(0x1p-149f));
static_assert(ops::is_finite::element(std::numeric_limits<double>::max()));
static_assert(!ops::is_finite::element(-ieee::infinity<float>) && !ops::is_finite::element(ieee::infinity<double>));
static_assert(!ops::is_finite::element(ieee::nan<float>));

TEST_CASE("is_finite in lanes") { check_float_lanes(ops::is_finite{}); }

}  // namespace
