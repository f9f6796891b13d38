// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/bessel_i1e.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::bessel_i1e>() == "chlo");
static_assert(result_type(ops::bessel_i1e{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::bessel_i1e{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::bessel_i1e{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::bessel_i1e{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::bessel_i1e{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::bessel_i1e{}, {f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::bessel_i1e{}, {i32_2x3}) == "bessel_i1e_i1");
static_assert(broken_by(ops::bessel_i1e{}, {c64_2x3}) == "bessel_i1e_i1");
static_assert(broken_by(ops::bessel_i1e{}, {f32_2x3}, {i1_scalar}) == "bessel_i1e_c1");

// values
static_assert(ops::bessel_i1e::element(ieee::infinity<double>) == 0 && ops::bessel_i1e::element(0.0) == 0);
static_assert(ieee::is_nan(ops::bessel_i1e::element(ieee::nan<float>)));

TEST_CASE("bessel_i1e") {
  CHECK(ops::bessel_i1e::element(0.5) == doctest::Approx(0.1564208031848717).epsilon(2e-15));
  CHECK(ops::bessel_i1e::element(-8.0) == doctest::Approx(-0.13414249329269818).epsilon(2e-15));
  CHECK(ops::bessel_i1e::element(100.0) == doctest::Approx(0.039744153025130253).epsilon(2e-15));
}

TEST_CASE("bessel_i1e in lanes") { check_float_lanes(ops::bessel_i1e{}); }

}  // namespace
