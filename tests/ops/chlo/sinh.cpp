// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/sinh.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::sinh>() == "chlo");
static_assert(result_type(ops::sinh{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::sinh{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::sinh{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::sinh{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::sinh{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::sinh{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::sinh{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::sinh{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::sinh{}, {i32_2x3}) == "sinh_i1");
static_assert(broken_by(ops::sinh{}, {f32_2x3}, {i1_scalar}) == "sinh_c1");

// values
static_assert(ops::sinh::element(-ieee::infinity<double>) == -ieee::infinity<double>);
// Half of e^89 is an f32, e^89 is none.
static_assert(ieee::is_finite(ops::sinh::element(89.0f)) && ieee::is_infinite(ops::sinh::element(90.0f)));
TEST_CASE("sinh") {
  CHECK(ops::sinh::element(2.0) == doctest::Approx(3.6268604078470188).epsilon(2e-15));
  const complex<double> result = ops::sinh::element(complex<double>{0.5, 0.25});
  CHECK(result.real == doctest::Approx(0.50489571438799502).epsilon(2e-15));
  CHECK(result.imag == doctest::Approx(0.27897912835026152).epsilon(2e-15));
  CHECK(ieee::is_nan(ops::sinh::element(ieee::nan<float>)));
}

TEST_CASE("sinh in lanes") { check_float_lanes(ops::sinh{}); }

}  // namespace
