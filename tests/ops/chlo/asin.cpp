// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/asin.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::asin>() == "chlo");
static_assert(result_type(ops::asin{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::asin{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::asin{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::asin{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::asin{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::asin{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::asin{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::asin{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::asin{}, {i32_2x3}) == "asin_i1");
static_assert(broken_by(ops::asin{}, {f32_2x3}, {i1_scalar}) == "asin_c1");

// values
TEST_CASE("asin") {
  CHECK(ops::asin::element(0.5) == doctest::Approx(0.52359877559829887).epsilon(2e-15));
  const complex<double> result = ops::asin::element(complex<double>{0.5, 0.25});
  CHECK(result.real == doctest::Approx(0.50160885327550076).epsilon(2e-15));
  CHECK(result.imag == doctest::Approx(0.28139605624529277).epsilon(2e-15));
  CHECK(ieee::is_nan(ops::asin::element(ieee::nan<float>)));
}

TEST_CASE("asin in lanes") { check_float_lanes(ops::asin{}); }

}  // namespace
