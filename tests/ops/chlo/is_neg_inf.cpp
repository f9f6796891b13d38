// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/is_neg_inf.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::is_neg_inf>() == "chlo");
static_assert(result_type(ops::is_neg_inf{}, {f32_2x3}) == i1_2x3);
static_assert(result_type(ops::is_neg_inf{}, {f32_2x3}, {i1_2x3}) == i1_2x3);
static_assert(result_type(ops::is_neg_inf{}, {bf16_2x3}) == i1_2x3);
static_assert(result_type(ops::is_neg_inf{}, {bf16_2x3}, {i1_2x3}) == i1_2x3);
static_assert(result_type(ops::is_neg_inf{}, {f64_2x3}) == i1_2x3);
static_assert(result_type(ops::is_neg_inf{}, {f64_2x3}, {i1_2x3}) == i1_2x3);

// broken rules
static_assert(broken_by(ops::is_neg_inf{}, {i32_2x3}) == "is_neg_inf_i1");
static_assert(broken_by(ops::is_neg_inf{}, {c64_2x3}) == "is_neg_inf_i1");
static_assert(broken_by(ops::is_neg_inf{}, {f32_2x3}, {i1_scalar}) == "is_neg_inf_c1");

// values
static_assert(ops::is_neg_inf::element(ieee::infinity<float>) == false);
static_assert(ops::is_neg_inf::element(-ieee::infinity<double>) == true);
static_assert(!ops::is_neg_inf::element(ieee::nan<double>) && !ops::is_neg_inf::element(0.0f));

TEST_CASE("is_neg_inf in lanes") { check_float_lanes(ops::is_neg_inf{}); }

}  // namespace
