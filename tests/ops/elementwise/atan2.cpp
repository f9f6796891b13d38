// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/atan2.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::atan2{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::atan2{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::atan2{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::atan2{}, {i32_2x3, f32_2x3}) == "atan2_i1");
static_assert(broken_by_quantized(ops::atan2{}, {axis0_2x3, q8_2x3}) == "atan2_i1");
static_assert(broken_by(ops::atan2{}, {f32_2x3, i32_2x3}) == "atan2_i2");
static_assert(broken_by(ops::atan2{}, {f32_2x3, f32_3x2}) == "atan2_c1");
static_assert(broken_by(ops::atan2{}, {f32_2x3, f64_2x3}) == "atan2_c1");
static_assert(broken_by(ops::atan2{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "atan2_c1");
static_assert(broken_by_quantized(ops::atan2{}, {q8_2x3, q8_bf16_2x3}) == "atan2_c1");
static_assert(broken_by_quantized(ops::atan2{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "atan2_o1");

// values
TEST_CASE("atan2") {
  CHECK(ops::atan2::element(0.0, 0.0) == 0.0);
  CHECK(ops::atan2::element(1.0, 0.0) == 1.5707963267948966);
  CHECK(ops::atan2::element(-1.0, 0.0) == -1.5707963267948966);
  CHECK(ops::atan2::element(0.0f, -1.0f) == 3.1415927f);
  CHECK(ops::atan2::element(-0.0f, -1.0f) == -3.1415927f);
  CHECK(ieee::is_negative(ops::atan2::element(-0.0, 1.0)));
  CHECK(ieee::is_nan(ops::atan2::element(ieee::nan<float>, 1.0f)));
  const complex<double> real = ops::atan2::element(complex<double>{-3, 0}, complex<double>{4, 0});
  CHECK(real.real == doctest::Approx(-0.6435011087932844).epsilon(1e-15));
  CHECK(real.imag == doctest::Approx(0).epsilon(1e-15));
  // tan(1 + i) = sin(1 + i) / cos(1 + i)
  const complex<double> z = ops::atan2::element(complex<double>{1.2984575814159773, 0.6349639147847361},
                                                complex<double>{0.8337300251311491, -0.9888977057628651});
  CHECK(z.real == doctest::Approx(1).epsilon(1e-14));
  CHECK(z.imag == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("atan2 in lanes") { check_float_lanes<2>(ops::atan2{}); }

}  // namespace
