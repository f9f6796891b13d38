// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/square.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::square>() == "chlo");
static_assert(result_type(ops::square{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::square{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::square{}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::square{}, {i32_2x3}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::square{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::square{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::square{}, {i1_2x3}) == "square_i1");
static_assert(broken_by(ops::square{}, {token}) == "square_i1");
static_assert(broken_by(ops::square{}, {f32_2x3}, {i1_scalar}) == "square_c1");

// values
static_assert(ops::square::element(std::int8_t(16)) == 0 && ops::square::element(-3.0f) == 9);
static_assert(ops::square::element(complex<double>{3, 4}).real == -7 &&
              ops::square::element(complex<double>{3, 4}).imag == 24);
static_assert(ops::square::element(complex<float>{0x1p+127f, 0x1p+127f}).real == 0);
static_assert(ops::square::element(complex<float>{0x1p+127f, 0x1p+127f}).imag == ieee::infinity<float>);

TEST_CASE("square in lanes") {
  check_float_lanes(ops::square{});
  check_lanes<std::int32_t>(ops::square{});
  check_lanes<std::uint32_t>(ops::square{});
}

}  // namespace
