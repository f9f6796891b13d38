// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/cosh.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::cosh>() == "chlo");
static_assert(result_type(ops::cosh{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::cosh{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::cosh{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::cosh{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::cosh{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::cosh{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::cosh{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::cosh{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::cosh{}, {i32_2x3}) == "cosh_i1");
static_assert(broken_by(ops::cosh{}, {f32_2x3}, {i1_scalar}) == "cosh_c1");

// values
static_assert(ops::cosh::element(-ieee::infinity<double>) == ieee::infinity<double>);
// Half of e^89 is an f32, e^89 is none.
static_assert(ieee::is_finite(ops::cosh::element(89.0f)) && ieee::is_infinite(ops::cosh::element(90.0f)));
TEST_CASE("cosh") {
  CHECK(ops::cosh::element(2.0) == doctest::Approx(3.7621956910836315).epsilon(2e-15));
  const complex<double> result = ops::cosh::element(complex<double>{0.5, 0.25});
  CHECK(result.real == doctest::Approx(1.0925708047319177).epsilon(2e-15));
  CHECK(result.imag == doctest::Approx(0.12892104172809825).epsilon(2e-15));
  CHECK(ieee::is_nan(ops::cosh::element(ieee::nan<float>)));
}

TEST_CASE("cosh in lanes") { check_float_lanes(ops::cosh{}); }

}  // namespace
