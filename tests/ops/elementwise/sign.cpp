// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/sign.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::sign{}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::sign{}, {f16_2x3}, {f16_2x3}) == f16_2x3);
static_assert(result_type(ops::sign{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::sign{}, {q8_2x3}, {other_scale_2x3}, {}, &quantized_details) == other_scale_2x3);

// broken rules
static_assert(broken_by(ops::sign{}, {ui8_2x3}) == "sign_i1");
static_assert(broken_by(ops::sign{}, {i1_2x3}) == "sign_i1");
static_assert(broken_by_quantized(ops::sign{}, {axis0_2x3}) == "sign_i1");
static_assert(broken_by(ops::sign{}, {f32_2x3}, {f32_3x2}) == "sign_c1");
static_assert(broken_by_quantized(ops::sign{}, {q8_2x3}, {axis0_2x3}) == "sign_o1");

// values
static_assert(ops::sign::element(-7) == -1 && ops::sign::element(0) == 0 && ops::sign::element(i8{127}) == 1);
static_assert(ops::sign::element(-0.5f) == -1 && ops::sign::element(1e300) == 1);
static_assert(ops::sign::element(ieee::infinity<float>) == 1);
static_assert(ops::sign::element(-0.0) == 0 && ieee::is_negative(ops::sign::element(-0.0)));
static_assert(!ieee::is_negative(ops::sign::element(0.0)) && ieee::is_nan(ops::sign::element(ieee::nan<double>)));
static_assert(ops::sign::element(complex<float>{3, -4}) == complex<float>{0.6f, -0.8f});
static_assert(ops::sign::element(complex<float>{-0.0f, 0}) == complex<float>{});
static_assert(ieee::is_nan(ops::sign::element(complex<float>{1, ieee::nan<float>}).real));

TEST_CASE("sign in lanes") { check_float_lanes(ops::sign{}); }

}  // namespace
