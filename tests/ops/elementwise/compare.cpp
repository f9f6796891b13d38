// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/compare.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

using enum comparison_direction;
using enum comparison_type;

// types
static_assert(result_type(ops::compare{LT}, {f32_2x3, f32_2x3}) == i1_2x3);
static_assert(result_type(ops::compare{GE, TOTALORDER}, {bf16_2x3, bf16_2x3}, {i1_2x3}) == i1_2x3);
static_assert(result_type(ops::compare{LT, SIGNED}, {i32_2x3, i32_2x3}) == i1_2x3);
static_assert(result_type(ops::compare{NE, UNSIGNED}, {i1_2x3, i1_2x3}) == i1_2x3);
static_assert(result_type(ops::compare{NE, FLOAT}, {c64_2x3, c64_2x3}) == i1_2x3);
static_assert(result_type(ops::compare{GE, TOTALORDER}, {q8_2x3, other_scale_2x3}, {}, {}, &quantized_details) ==
              i1_2x3);

// broken rules
static_assert(broken_by(ops::compare{}, {token, f32_2x3}) == "compare_i1");
static_assert(broken_by_quantized(ops::compare{}, {axis0_2x3, q8_2x3}) == "compare_i1");
static_assert(broken_by(ops::compare{}, {f32_2x3, token}) == "compare_i2");
static_assert(broken_by(ops::compare{}, {f32_2x3, f64_2x3}) == "compare_c1");
static_assert(broken_by_quantized(ops::compare{}, {q8_2x3, q8_bf16_2x3}) == "compare_c1");
static_assert(broken_by(ops::compare{}, {f32_2x3, f32_3x2}) == "compare_c2");
static_assert(broken_by(ops::compare{}, {f32_2x3, f32_2x3}, {i1_scalar}) == "compare_c2");
static_assert(broken_by(ops::compare{EQ, UNSIGNED}, {i32_2x3, i32_2x3}) == "compare_c3");
static_assert(broken_by(ops::compare{EQ, SIGNED}, {ui8_2x3, ui8_2x3}) == "compare_c3");
static_assert(broken_by(ops::compare{EQ, SIGNED}, {i1_2x3, i1_2x3}) == "compare_c3");
static_assert(broken_by(ops::compare{EQ, SIGNED}, {f32_2x3, f32_2x3}) == "compare_c3");
static_assert(broken_by(ops::compare{EQ, TOTALORDER}, {c64_2x3, c64_2x3}) == "compare_c3");
static_assert(broken_by(ops::compare{}, {f32_2x3, f32_2x3}, {ui8_2x3}) == "compare_o1");

// values
static_assert(ops::compare{LT}.element(1.0f, 1.1f) && !ops::compare{LT}.element(3.0f, 2.9f));
static_assert(ops::compare{GE}.element(-1, -1) && ops::compare{GT}.element(-1, -2) && !ops::compare{NE}.element(2, 2));
static_assert(ops::compare{GT}.element(ui8{255}, ui8{1}) && ops::compare{GT}.element(true, false));

constexpr float nan = ieee::nan<float>;
static_assert(!ops::compare{EQ}.element(nan, nan) && ops::compare{NE}.element(nan, nan));
static_assert(!ops::compare{GE}.element(nan, 1.0f) && !ops::compare{LT}.element(1.0f, nan));
static_assert(ops::compare{EQ}.element(-0.0f, 0.0f) && !ops::compare{LT}.element(-0.0f, 0.0f));

static_assert(ops::compare{EQ, TOTALORDER}.element(nan, nan) && !ops::compare{EQ, TOTALORDER}.element(-0.0, 0.0));
static_assert(ops::compare{LT, TOTALORDER}.element(-0.0f, 0.0f));
static_assert(ops::compare{GT, TOTALORDER}.element(nan, ieee::infinity<float>));
static_assert(ops::compare{LT, TOTALORDER}.element(ieee::negate(nan), -ieee::infinity<float>));
static_assert(ops::compare{LT, TOTALORDER}.element(-2.0, -1.0) && ops::compare{LE, TOTALORDER}.element(1.0, 2.0));

static_assert(ops::compare{EQ}.element(complex<double>{-0.0, 2}, complex<double>{0.0, 2}));
static_assert(ops::compare{NE}.element(complex<double>{2, 2}, complex<double>{2, 1}));
static_assert(ops::compare{GT}.element(complex<double>{2, 2}, complex<double>{2, 1}));
static_assert(ops::compare{LT}.element(complex<double>{1, 2}, complex<double>{2, 1}));
static_assert(!ops::compare{GE}.element(complex<float>{nan, 2}, complex<float>{nan, 2}));

TEST_CASE("compare in lanes") {
  for (comparison_direction direction : {EQ, NE, GE, GT, LE, LT}) {
    check_float_lanes<2>(ops::compare{direction});
    check_float_lanes<2>(ops::compare{direction, TOTALORDER});
    check_lanes<std::int8_t, 2>(ops::compare{direction});
    check_lanes<std::uint16_t, 2>(ops::compare{direction});
    check_lanes<std::int32_t, 2>(ops::compare{direction});
    check_lanes<std::uint32_t, 2>(ops::compare{direction});
  }
}

}  // namespace
