// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/zeta.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::zeta>() == "chlo");
static_assert(result_type(ops::zeta{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::zeta{}, {f32_2x3, f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::zeta{}, {bf16_2x3, bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::zeta{}, {bf16_2x3, bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::zeta{}, {f64_2x3, f64_2x3}) == f64_2x3);
static_assert(result_type(ops::zeta{}, {f64_2x3, f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::zeta{}, {i32_2x3, i32_2x3}) == "zeta_i1");
static_assert(broken_by(ops::zeta{}, {c64_2x3, c64_2x3}) == "zeta_i1");
static_assert(broken_by(ops::zeta{}, {f32_2x3, i32_2x3}) == "zeta_i2");
static_assert(broken_by(ops::zeta{}, {f32_2x3, f32_scalar}) == "zeta_c1");
static_assert(broken_by(ops::zeta{}, {f32_2x3, f32_2x3}, {i1_scalar}) == "zeta_c1");

// values
static_assert(ops::zeta::element(1.0, 2.0) == ieee::infinity<double>);
static_assert(ops::zeta::element(2.0, 0.0) == ieee::infinity<double>);
static_assert(ieee::is_nan(ops::zeta::element(0.5, 2.0)) && ieee::is_nan(ops::zeta::element(3.0, -1.0)) &&
              ieee::is_nan(ops::zeta::element(2.5, -0.5)));

TEST_CASE("zeta") {
  CHECK(ops::zeta::element(2.0, 1.0) == doctest::Approx(1.6449340668482264).epsilon(2e-15));
  CHECK(ops::zeta::element(30.0, 10.5) == doctest::Approx(2.4785819851266217e-31).epsilon(2e-15));
  CHECK(ops::zeta::element(1.25, 0.5) == doctest::Approx(6.3339675292082021).epsilon(2e-15));
  CHECK(ops::zeta::element(2.0, -1.5) == doctest::Approx(9.3792466449891238).epsilon(2e-15));
  CHECK(ops::zeta::element(3.0, -0.5) == doctest::Approx(0.41439832211716).epsilon(2e-15));
}

}  // namespace
