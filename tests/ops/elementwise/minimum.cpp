// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/minimum.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::minimum{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::minimum{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::minimum{}, {i1_2x3, i1_2x3}) == i1_2x3);
static_assert(result_type(ops::minimum{}, {ui8_2x3, ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::minimum{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::minimum{}, {token, f32_2x3}) == "minimum_i1");
static_assert(broken_by_quantized(ops::minimum{}, {axis0_2x3, q8_2x3}) == "minimum_i1");
static_assert(broken_by(ops::minimum{}, {f32_2x3, token}) == "minimum_i2");
static_assert(broken_by(ops::minimum{}, {f32_2x3, f32_3x2}) == "minimum_c1");
static_assert(broken_by(ops::minimum{}, {f32_2x3, f64_2x3}) == "minimum_c1");
static_assert(broken_by(ops::minimum{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "minimum_c1");
static_assert(broken_by_quantized(ops::minimum{}, {q8_2x3, q8_bf16_2x3}) == "minimum_c1");
static_assert(broken_by_quantized(ops::minimum{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "minimum_o1");

// values
static_assert(ops::minimum::element(3, -7) == -7 && ops::minimum::element(-8, -7) == -8);
static_assert(ops::minimum::element(std::uint8_t{255}, std::uint8_t{1}) == 1);
static_assert(!ops::minimum::element(false, true) && ops::minimum::element(true, true));
static_assert(ops::minimum::element(1.0f, 2.0f) == 1.0f && ops::minimum::element(2.0f, 1.0f) == 1.0f);
static_assert(ieee::is_negative(ops::minimum::element(-0.0f, 0.0f)));
static_assert(ieee::is_negative(ops::minimum::element(0.0f, -0.0f)));
static_assert(!ieee::is_negative(ops::minimum::element(0.0, 0.0)));
static_assert(ieee::is_nan(ops::minimum::element(ieee::nan<float>, 1.0f)));
static_assert(ieee::is_nan(ops::minimum::element(1.0f, ieee::nan<float>)));
static_assert(ops::minimum::element(complex<float>{1, 2}, complex<float>{1, 3}) == complex<float>{1, 2});
static_assert(ops::minimum::element(complex<float>{2, 2}, complex<float>{1, 3}) == complex<float>{1, 3});
// Zeros of different sign are equal, so the imaginary part decides.
static_assert(ops::minimum::element(complex<float>{0, 1}, complex<float>{-0.0f, 2}).imag == 1);
static_assert(ieee::is_nan(ops::minimum::element(complex<float>{ieee::nan<float>, 2}, complex<float>{1, 1}).real));

TEST_CASE("minimum in lanes") {
  check_float_lanes<2>(ops::minimum{});
  check_lanes<std::int8_t, 2>(ops::minimum{});
  check_lanes<std::uint16_t, 2>(ops::minimum{});
  check_lanes<std::int32_t, 2>(ops::minimum{});
  check_lanes<std::uint32_t, 2>(ops::minimum{});
}

}  // namespace
