// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/add.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::add{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::add{}, {i1_2x3, i1_2x3}, {i1_2x3}) == i1_2x3);
static_assert(result_type(ops::add{}, {c64_2x3, c64_2x3}) == c64_2x3);
static_assert(result_type(ops::add{}, {q8_2x3, other_scale_2x3}, {other_scale_2x3}, {}, &quantized_details) ==
              other_scale_2x3);
static_assert(result_type(ops::add{}, {axis1_2x3, q8_2x3}, {axis1_2x3}, {}, &quantized_details) == axis1_2x3);

// broken rules
static_assert(broken_by(ops::add{}, {token, f32_2x3}) == "add_i1");
static_assert(broken_by(ops::add{}, {f32_2x3, token}) == "add_i2");
static_assert(broken_by(ops::add{}, {f32_2x3, f32_3x2}) == "add_c1");
static_assert(broken_by(ops::add{}, {f32_2x3, f64_2x3}) == "add_c1");
static_assert(broken_by(ops::add{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "add_c1");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, quantized(dtype::i8, 1, {3, 2})}) == "add_c1");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, f32_2x3}) == "add_c2");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, q8_2x3}, {f32_2x3}) == "add_c2");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, q8_2x3}, {q4_2x3}) == "add_c3");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, qu8_2x3}) == "add_c3");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, q8_2x3}, {q8_bf16_2x3}) == "add_c4");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, q8_2x3}, {axis0_2x3}) == "add_c5");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, axis0_2x3}, {q8_2x3}) == "add_c5");
static_assert(broken_by_quantized(ops::add{}, {axis0_2x3, q8_2x3}, {axis1_2x3}) == "add_c6");
static_assert(broken_by_quantized(ops::add{}, {q8_2x3, axis0_2x3}, {axis1_2x3}) == "add_c7");

// values
static_assert(ops::add::element(1, 5) == 6);
static_assert(ops::add::element(INT32_MAX, 1) == INT32_MIN);
static_assert(ops::add::element(std::int8_t{127}, std::int8_t{1}) == -128);
static_assert(ops::add::element(std::uint16_t{65535}, std::uint16_t{1}) == 0);
static_assert(ops::add::element(true, true) && ops::add::element(true, false) && !ops::add::element(false, false));
static_assert(ops::add::element(0.5, 0.25) == 0.75);
static_assert(ops::add::element(0x1.fffffep+127f, 0x1p+103f) == ieee::infinity<float>);
static_assert(ieee::is_negative(ops::add::element(-0.0f, -0.0f)) && !ieee::is_negative(ops::add::element(-0.0f, 0.0f)));
static_assert(ieee::is_nan(ops::add::element(ieee::infinity<float>, -ieee::infinity<float>)));
static_assert(ops::add::element(complex<float>{1, 2}, complex<float>{3, 5}) == complex<float>{4, 7});

TEST_CASE("add in lanes") {
  check_float_lanes<2>(ops::add{});
  check_lanes<std::int8_t, 2>(ops::add{});
  check_lanes<std::uint16_t, 2>(ops::add{});
  check_lanes<std::int64_t, 2>(ops::add{});
}

}  // namespace
