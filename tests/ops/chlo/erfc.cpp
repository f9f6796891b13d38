// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/erfc.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::erfc>() == "chlo");
static_assert(result_type(ops::erfc{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::erfc{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::erfc{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::erfc{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::erfc{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::erfc{}, {f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::erfc{}, {i32_2x3}) == "erfc_i1");
static_assert(broken_by(ops::erfc{}, {c64_2x3}) == "erfc_i1");
static_assert(broken_by(ops::erfc{}, {f32_2x3}, {i1_scalar}) == "erfc_c1");

// values
static_assert(ops::erfc::element(100.0) == 0 && ops::erfc::element(-ieee::infinity<float>) == 2);
static_assert(ops::erfc::element(0.0) == 1);
static_assert(ieee::is_nan(ops::erfc::element(ieee::nan<double>)));

TEST_CASE("erfc") {
  CHECK(ops::erfc::element(0.1) == doctest::Approx(0.8875370839817151).epsilon(2e-15));
  CHECK(ops::erfc::element(-1.5) == doctest::Approx(1.9661051464753107).epsilon(2e-15));
  CHECK(ops::erfc::element(10.0) == doctest::Approx(2.0884875837625448e-45).epsilon(2e-15));
}

TEST_CASE("erfc in lanes") { check_float_lanes(ops::erfc{}); }

}  // namespace
