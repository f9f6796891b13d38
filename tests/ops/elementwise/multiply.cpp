// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/multiply.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::multiply{}, {f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::multiply{}, {c128_2x3, c128_2x3}, {c128_2x3}) == c128_2x3);
static_assert(result_type(ops::multiply{}, {i1_2x3, i1_2x3}) == i1_2x3);
static_assert(result_type(ops::multiply{}, {ui8_2x3, ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::multiply{}, {q8_2x3, other_scale_2x3}, {q4_2x3}, {}, &quantized_details) == q4_2x3);

// broken rules
static_assert(broken_by(ops::multiply{}, {token, f32_2x3}) == "multiply_i1");
static_assert(broken_by_quantized(ops::multiply{}, {axis0_2x3, q8_2x3}) == "multiply_i1");
static_assert(broken_by(ops::multiply{}, {f32_2x3, token}) == "multiply_i2");
static_assert(broken_by(ops::multiply{}, {f32_2x3, f32_3x2}) == "multiply_c1");
static_assert(broken_by(ops::multiply{}, {f32_2x3, f64_2x3}) == "multiply_c1");
static_assert(broken_by(ops::multiply{}, {f32_2x3, f32_2x3}, {f64_2x3}) == "multiply_c1");
static_assert(broken_by_quantized(ops::multiply{}, {q8_2x3, q8_bf16_2x3}) == "multiply_c1");
static_assert(broken_by_quantized(ops::multiply{}, {q8_2x3, q8_2x3}, {axis1_2x3}) == "multiply_o1");

// values
static_assert(ops::multiply::element(3, 7) == 21);
static_assert(ops::multiply::element(std::int16_t{-32768}, std::int16_t{-32768}) == 0);
static_assert(ops::multiply::element(std::uint16_t{65535}, std::uint16_t{65535}) == 1);
static_assert(ops::multiply::element(std::int64_t{INT64_MIN}, std::int64_t{-1}) == INT64_MIN);
static_assert(ops::multiply::element(true, true) && !ops::multiply::element(true, false));
static_assert(ops::multiply::element(0x1p100f, 0x1p100f) == ieee::infinity<float>);
static_assert(ieee::is_nan(ops::multiply::element(0.0f, ieee::infinity<float>)));
static_assert(ops::multiply::element(complex<double>{1, 2}, complex<double>{3, 4}) == complex<double>{-5, 10});

TEST_CASE("multiply in lanes") {
  check_float_lanes<2>(ops::multiply{});
  if constexpr (HWY_TARGET != HWY_SCALAR) {
    check_lanes<std::int8_t, 2>(ops::multiply{});
    check_lanes<std::uint8_t, 2>(ops::multiply{});
  }
  check_lanes<std::int16_t, 2>(ops::multiply{});
  check_lanes<std::int32_t, 2>(ops::multiply{});
  check_lanes<std::uint32_t, 2>(ops::multiply{});
}

}  // namespace
