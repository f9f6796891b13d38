// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/conj.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::conj>() == "chlo");
static_assert(result_type(ops::conj{}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::conj{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::conj{}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::conj{}, {bf16_2x3}, {bf16_2x3}) == bf16_2x3);
static_assert(result_type(ops::conj{}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::conj{}, {f64_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::conj{}, {c64_2x3}) == c64_2x3);
static_assert(result_type(ops::conj{}, {c64_2x3}, {c64_2x3}) == c64_2x3);

// broken rules
static_assert(broken_by(ops::conj{}, {i32_2x3}) == "conj_i1");
static_assert(broken_by(ops::conj{}, {f32_2x3}, {i1_scalar}) == "conj_c1");

// values
static_assert(ops::conj::element(2.0f) == 2);
static_assert(ops::conj::element(complex<double>{1, 2}).imag == -2 &&
              ops::conj::element(complex<float>{1, 2}).real == 1);

TEST_CASE("conj in lanes") { check_float_lanes(ops::conj{}); }

}  // namespace
