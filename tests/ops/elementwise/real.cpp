// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/real.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::real{}, {c64_2x3}) == f32_2x3);
static_assert(result_type(ops::real{}, {c128_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::real{}, {bf16_2x3}) == bf16_2x3);

// broken rules
static_assert(broken_by(ops::real{}, {i32_2x3}) == "real_i1");
static_assert(broken_by_quantized(ops::real{}, {q8_2x3}) == "real_i1");
static_assert(broken_by(ops::real{}, {c64_2x3}, {f32_3x2}) == "real_c1");
static_assert(broken_by(ops::real{}, {c64_2x3}, {f64_2x3}) == "real_c2");
static_assert(broken_by(ops::real{}, {c64_2x3}, {c64_2x3}) == "real_c2");

// values
static_assert(ops::real::element(complex<double>{1, 2}) == 1);
static_assert(ops::real::element(2.5f) == 2.5f);

}  // namespace
