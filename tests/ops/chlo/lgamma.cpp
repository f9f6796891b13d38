// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/lgamma.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::lgamma>() == "chlo");
static_assert(result_type(ops::lgamma{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::lgamma{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::lgamma{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::lgamma{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::lgamma{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::lgamma{}, {f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::lgamma{}, {i32_2x3}) == "lgamma_i1");
static_assert(broken_by(ops::lgamma{}, {c64_2x3}) == "lgamma_i1");
static_assert(broken_by(ops::lgamma{}, {f32_2x3}, {i1_scalar}) == "lgamma_c1");

// values
static_assert(ops::lgamma::element(1.0) == 0 && ops::lgamma::element(2.0f) == 0);
static_assert(ops::lgamma::element(0.0) == ieee::infinity<double> &&
              ops::lgamma::element(-2.0) == ieee::infinity<double>);
static_assert(ops::lgamma::element(-ieee::infinity<float>) == ieee::infinity<float>);
static_assert(ieee::is_nan(ops::lgamma::element(ieee::nan<double>)));

TEST_CASE("lgamma") {
  CHECK(ops::lgamma::element(0.5) == doctest::Approx(0.57236494292470009).epsilon(2e-15));
  CHECK(ops::lgamma::element(1.01) == doctest::Approx(-0.0056903079460696505).epsilon(2e-15));
  CHECK(ops::lgamma::element(-2.5) == doctest::Approx(-0.056243716497674051).epsilon(2e-15));
  CHECK(ops::lgamma::element(1e200) == doctest::Approx(4.5951701859880912e+202).epsilon(2e-15));
}

TEST_CASE("lgamma in lanes") { check_float_lanes(ops::lgamma{}); }

}  // namespace
