// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/erf_inv.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::erf_inv>() == "chlo");
static_assert(result_type(ops::erf_inv{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::erf_inv{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::erf_inv{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::erf_inv{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::erf_inv{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::erf_inv{}, {f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::erf_inv{}, {i32_2x3}) == "erf_inv_i1");
static_assert(broken_by(ops::erf_inv{}, {c64_2x3}) == "erf_inv_i1");
static_assert(broken_by(ops::erf_inv{}, {f32_2x3}, {i1_scalar}) == "erf_inv_c1");

// values
static_assert(ops::erf_inv::element(1.0) == ieee::infinity<double>);
static_assert(ops::erf_inv::element(-1.0f) == -ieee::infinity<float>);
static_assert(ieee::is_negative(ops::erf_inv::element(-0.0)));
static_assert(ieee::is_nan(ops::erf_inv::element(1.5)) && ieee::is_nan(ops::erf_inv::element(ieee::nan<float>)));

TEST_CASE("erf_inv") {
  CHECK(ops::erf_inv::element(0.25) == doctest::Approx(0.2253120550121781).epsilon(2e-15));
  CHECK(ops::erf_inv::element(-0.9375) == doctest::Approx(-1.3171503349861307).epsilon(2e-15));
  CHECK(ops::erf_inv::element(0x1p-30) == doctest::Approx(8.2536314190622234e-10).epsilon(2e-15));
}

TEST_CASE("erf_inv in lanes") { check_float_lanes(ops::erf_inv{}); }

}  // namespace
