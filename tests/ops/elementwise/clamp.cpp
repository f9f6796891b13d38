// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/clamp.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::clamp{}, {f32_2x3, f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::clamp{}, {f32_scalar, f32_2x3, f32_scalar}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::clamp{}, {i32_2x3, i32_2x3, i32_scalar}) == i32_2x3);
static_assert(result_type(ops::clamp{}, {q8_2x3, other_scale_2x3, q8_2x3}, {q8_2x3}, {}, &quantized_details) == q8_2x3);

// broken rules
static_assert(broken_by(ops::clamp{}, {token, f32_2x3, f32_2x3}) == "clamp_i1");
static_assert(broken_by_quantized(ops::clamp{}, {q8_2x3, axis0_2x3, q8_2x3}) == "clamp_i2");
static_assert(broken_by(ops::clamp{}, {f32_2x3, f32_2x3, token}) == "clamp_i3");
static_assert(broken_by(ops::clamp{}, {f32_3x2, f32_2x3, f32_2x3}) == "clamp_c1");
static_assert(broken_by(ops::clamp{}, {f32_scalar, f32_2x3, f32_3x2}) == "clamp_c2");
static_assert(broken_by(ops::clamp{}, {f64_scalar, f32_2x3, f32_scalar}) == "clamp_c3");
static_assert(broken_by(ops::clamp{}, {f32_scalar, f32_2x3, f64_scalar}) == "clamp_c3");
static_assert(broken_by(ops::clamp{}, {f32_scalar, f32_2x3, f32_scalar}, {f32_scalar}) == "clamp_c4");
static_assert(broken_by_quantized(ops::clamp{}, {q8_2x3, q8_2x3, q8_2x3}, {axis0_2x3}) == "clamp_o1");

// values
static_assert(ops::clamp::element(5, 3, 10) == 5 && ops::clamp::element(10, 13, 15) == 13);
static_assert(ops::clamp::element(15, 23, 20) == 20);
static_assert(ops::clamp::element(5, 7, 3) == 3);
static_assert(ops::clamp::element(-1.0f, -2.0f, 1.0f) == -1.0f);
static_assert(ieee::is_nan(ops::clamp::element(0.0f, ieee::nan<float>, 1.0f)));
static_assert(ieee::is_nan(ops::clamp::element(0.0f, 0.5f, ieee::nan<float>)));
static_assert(ops::clamp::element(complex<float>{1, 1}, complex<float>{0, 9}, complex<float>{2, 2}) ==
              complex<float>{1, 1});

TEST_CASE("clamp in lanes") {
  check_lanes<float, 3>(ops::clamp{});
  check_lanes<std::int32_t, 3>(ops::clamp{});
  check_lanes<std::uint8_t, 3>(ops::clamp{});
}

}  // namespace
