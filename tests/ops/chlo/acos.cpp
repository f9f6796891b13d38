// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/acos.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::acos>() == "chlo");
static_assert(result_type(ops::acos{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::acos{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::acos{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::acos{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::acos{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::acos{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::acos{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::acos{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::acos{}, {i32_2x3}) == "acos_i1");
static_assert(broken_by(ops::acos{}, {f32_2x3}, {i1_scalar}) == "acos_c1");

// values
TEST_CASE("acos") {
  CHECK(ops::acos::element(0.5) == doctest::Approx(1.0471975511965977).epsilon(2e-15));
  const complex<double> result = ops::acos::element(complex<double>{0.5, 0.25});
  CHECK(result.real == doctest::Approx(1.0691874735193959).epsilon(2e-15));
  CHECK(result.imag == doctest::Approx(-0.28139605624529277).epsilon(2e-15));
  CHECK(ieee::is_nan(ops::acos::element(ieee::nan<float>)));
}

TEST_CASE("acos in lanes") { check_float_lanes(ops::acos{}); }

}  // namespace
