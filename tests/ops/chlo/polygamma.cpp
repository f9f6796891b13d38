// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/polygamma.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::polygamma>() == "chlo");
static_assert(result_type(ops::polygamma{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::polygamma{}, {f32_2x3, f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::polygamma{}, {bf16_2x3, bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::polygamma{}, {bf16_2x3, bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::polygamma{}, {f64_2x3, f64_2x3}) == f64_2x3);
static_assert(result_type(ops::polygamma{}, {f64_2x3, f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::polygamma{}, {i32_2x3, i32_2x3}) == "polygamma_i1");
static_assert(broken_by(ops::polygamma{}, {c64_2x3, c64_2x3}) == "polygamma_i1");
static_assert(broken_by(ops::polygamma{}, {f32_2x3, i32_2x3}) == "polygamma_i2");
static_assert(broken_by(ops::polygamma{}, {f32_2x3, f32_scalar}) == "polygamma_c1");
static_assert(broken_by(ops::polygamma{}, {f32_2x3, f32_2x3}, {i1_scalar}) == "polygamma_c1");

// values
static_assert(ieee::is_nan(ops::polygamma::element(0.5, 2.0)) && ieee::is_nan(ops::polygamma::element(-1.0, 2.0)));
static_assert(ops::polygamma::element(0.0, 0.0) == -ieee::infinity<double>);

TEST_CASE("polygamma") {
  CHECK(ops::polygamma::element(0.0, 2.5) == doctest::Approx(0.70315664064524319).epsilon(2e-15));
  CHECK(ops::polygamma::element(1.0, 0.5) == doctest::Approx(4.9348022005446793).epsilon(2e-15));
  CHECK(ops::polygamma::element(4.0, 3.5) == doctest::Approx(-0.067995999506731363).epsilon(2e-15));
}

}  // namespace
