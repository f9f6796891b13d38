// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/atan.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::atan>() == "chlo");
static_assert(result_type(ops::atan{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::atan{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::atan{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::atan{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::atan{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::atan{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::atan{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::atan{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::atan{}, {i32_2x3}) == "atan_i1");
static_assert(broken_by(ops::atan{}, {f32_2x3}, {i1_scalar}) == "atan_c1");

// values
TEST_CASE("atan") {
  CHECK(ops::atan::element(2.0) == doctest::Approx(1.1071487177940905).epsilon(2e-15));
  const complex<double> result = ops::atan::element(complex<double>{0.5, 0.25});
  CHECK(result.real == doctest::Approx(0.48425449032996622).epsilon(2e-15));
  CHECK(result.imag == doctest::Approx(0.20058661813123432).epsilon(2e-15));
  CHECK(ieee::is_nan(ops::atan::element(ieee::nan<float>)));
}

TEST_CASE("atan in lanes") { check_float_lanes(ops::atan{}); }

}  // namespace
