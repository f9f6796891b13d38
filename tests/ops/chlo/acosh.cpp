// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/acosh.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::acosh>() == "chlo");
static_assert(result_type(ops::acosh{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::acosh{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::acosh{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::acosh{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::acosh{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::acosh{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::acosh{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::acosh{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::acosh{}, {i32_2x3}) == "acosh_i1");
static_assert(broken_by(ops::acosh{}, {f32_2x3}, {i1_scalar}) == "acosh_c1");

// values
TEST_CASE("acosh") {
  CHECK(ops::acosh::element(2.0) == doctest::Approx(1.3169578969248167).epsilon(2e-15));
  const complex<double> result = ops::acosh::element(complex<double>{0.5, 0.25});
  CHECK(result.real == doctest::Approx(0.28139605624529277).epsilon(2e-15));
  CHECK(result.imag == doctest::Approx(1.0691874735193959).epsilon(2e-15));
  CHECK(ieee::is_nan(ops::acosh::element(ieee::nan<float>)));
}

TEST_CASE("acosh in lanes") { check_float_lanes(ops::acosh{}); }

}  // namespace
