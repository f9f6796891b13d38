// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/maximum.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::maximum{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::maximum{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::maximum{}, {i1_2x3, i1_2x3}) == i1_2x3);
static_assert(result_type(ops::maximum{}, {ui8_2x3, ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::maximum{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::maximum{}, {token, f32_2x3}) == "maximum_i1");
static_assert(broken_by_quantized(ops::maximum{}, {axis0_2x3, q8_2x3}) == "maximum_i1");
static_assert(broken_by(ops::maximum{}, {f32_2x3, token}) == "maximum_i2");
static_assert(broken_by(ops::maximum{}, {f32_2x3, f32_3x2}) == "maximum_c1");
static_assert(broken_by(ops::maximum{}, {f32_2x3, f64_2x3}) == "maximum_c1");
static_assert(broken_by(ops::maximum{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "maximum_c1");
static_assert(broken_by_quantized(ops::maximum{}, {q8_2x3, q8_bf16_2x3}) == "maximum_c1");
static_assert(broken_by_quantized(ops::maximum{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "maximum_o1");

// values
static_assert(ops::maximum::element(3, -7) == 3 && ops::maximum::element(-8, -7) == -7);
static_assert(ops::maximum::element(std::uint8_t{255}, std::uint8_t{1}) == 255);
static_assert(ops::maximum::element(false, true) && !ops::maximum::element(false, false));
static_assert(ops::maximum::element(1.0f, 2.0f) == 2.0f && ops::maximum::element(2.0f, 1.0f) == 2.0f);
static_assert(!ieee::is_negative(ops::maximum::element(-0.0f, 0.0f)));
static_assert(!ieee::is_negative(ops::maximum::element(0.0f, -0.0f)));
static_assert(ieee::is_negative(ops::maximum::element(-0.0, -0.0)));
static_assert(ieee::is_nan(ops::maximum::element(ieee::nan<float>, 1.0f)));
static_assert(ieee::is_nan(ops::maximum::element(1.0f, ieee::nan<float>)));
static_assert(ops::maximum::element(complex<float>{1, 2}, complex<float>{1, 3}) == complex<float>{1, 3});
static_assert(ops::maximum::element(complex<float>{2, 2}, complex<float>{1, 3}) == complex<float>{2, 2});
static_assert(ieee::is_nan(ops::maximum::element(complex<float>{2, 2}, complex<float>{1, ieee::nan<float>}).imag));

TEST_CASE("maximum in lanes") {
  check_float_lanes<2>(ops::maximum{});
  check_lanes<std::int8_t, 2>(ops::maximum{});
  check_lanes<std::uint16_t, 2>(ops::maximum{});
  check_lanes<std::int32_t, 2>(ops::maximum{});
  check_lanes<std::uint32_t, 2>(ops::maximum{});
}

}  // namespace
