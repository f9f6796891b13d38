// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/digamma.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::digamma>() == "chlo");
static_assert(result_type(ops::digamma{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::digamma{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::digamma{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::digamma{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::digamma{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::digamma{}, {f64_2x3}, {f64_2x3}) == f64_2x3);

// broken rules
static_assert(broken_by(ops::digamma{}, {i32_2x3}) == "digamma_i1");
static_assert(broken_by(ops::digamma{}, {c64_2x3}) == "digamma_i1");
static_assert(broken_by(ops::digamma{}, {f32_2x3}, {i1_scalar}) == "digamma_c1");

// values
static_assert(ops::digamma::element(0.0) == -ieee::infinity<double> &&
              ops::digamma::element(-0.0f) == ieee::infinity<float>);
static_assert(ieee::is_nan(ops::digamma::element(-3.0f)) &&
              ieee::is_nan(ops::digamma::element(-ieee::infinity<double>)));
static_assert(ops::digamma::element(ieee::infinity<double>) == ieee::infinity<double>);

TEST_CASE("digamma") {
  CHECK(ops::digamma::element(0.5) == doctest::Approx(-1.9635100260214235).epsilon(2e-15));
  CHECK(ops::digamma::element(-2.25) == doctest::Approx(4.1585835646579723).epsilon(2e-15));
  CHECK(ops::digamma::element(30.0) == doctest::Approx(3.3844381326855249).epsilon(2e-15));
}

TEST_CASE("digamma in lanes") { check_float_lanes(ops::digamma{}); }

}  // namespace
