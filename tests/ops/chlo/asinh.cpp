// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/asinh.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::asinh>() == "chlo");
static_assert(result_type(ops::asinh{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::asinh{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::asinh{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::asinh{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::asinh{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::asinh{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::asinh{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::asinh{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::asinh{}, {i32_2x3}) == "asinh_i1");
static_assert(broken_by(ops::asinh{}, {f32_2x3}, {i1_scalar}) == "asinh_c1");

// values
TEST_CASE("asinh") {
  CHECK(ops::asinh::element(2.0) == doctest::Approx(1.4436354751788103).epsilon(2e-15));
  const complex<double> result = ops::asinh::element(complex<double>{0.5, 0.25});
  CHECK(result.real == doctest::Approx(0.49267568342077062).epsilon(2e-15));
  CHECK(result.imag == doctest::Approx(0.2243284526346675).epsilon(2e-15));
  CHECK(ieee::is_nan(ops::asinh::element(ieee::nan<float>)));
}

TEST_CASE("asinh in lanes") { check_float_lanes(ops::asinh{}); }

}  // namespace
