// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/atanh.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::atanh>() == "chlo");
static_assert(result_type(ops::atanh{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::atanh{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::atanh{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::atanh{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::atanh{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::atanh{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::atanh{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::atanh{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::atanh{}, {i32_2x3}) == "atanh_i1");
static_assert(broken_by(ops::atanh{}, {f32_2x3}, {i1_scalar}) == "atanh_c1");

// values
TEST_CASE("atanh") {
  CHECK(ops::atanh::element(0.5) == doctest::Approx(0.54930614433405485).epsilon(2e-15));
  const complex<double> result = ops::atanh::element(complex<double>{0.5, 0.25});
  CHECK(result.real == doctest::Approx(0.50037000005253102).epsilon(2e-15));
  CHECK(result.imag == doctest::Approx(0.31439814320771648).epsilon(2e-15));
  CHECK(ieee::is_nan(ops::atanh::element(ieee::nan<float>)));
}

TEST_CASE("atanh in lanes") { check_float_lanes(ops::atanh{}); }

}  // namespace
