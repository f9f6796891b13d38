// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/erf.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::erf>() == "chlo");
static_assert(result_type(ops::erf{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::erf{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::erf{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::erf{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::erf{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::erf{}, {f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::erf{}, {i32_2x3}) == "erf_i1");
static_assert(broken_by(ops::erf{}, {c64_2x3}) == "erf_i1");
static_assert(broken_by(ops::erf{}, {f32_2x3}, {i1_scalar}) == "erf_c1");

// values
static_assert(ops::erf::element(10.0) == 1 && ops::erf::element(-ieee::infinity<float>) == -1);
static_assert(ops::erf::element(0.0) == 0 && ieee::is_negative(ops::erf::element(-0.0f)));
static_assert(ieee::is_nan(ops::erf::element(ieee::nan<double>)));

TEST_CASE("erf") {
  CHECK(ops::erf::element(0.5) == doctest::Approx(0.52049987781304654).epsilon(2e-15));
  CHECK(ops::erf::element(-1.5) == doctest::Approx(-0.96610514647531073).epsilon(2e-15));
  CHECK(ops::erf::element(3.0) == doctest::Approx(0.99997790950300141).epsilon(2e-15));
}

TEST_CASE("erf in lanes") { check_float_lanes(ops::erf{}); }

}  // namespace
