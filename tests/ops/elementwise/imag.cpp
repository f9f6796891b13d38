// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/imag.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::imag{}, {c64_2x3}) == f32_2x3);
static_assert(result_type(ops::imag{}, {c128_2x3}, {f64_2x3}) == f64_2x3);
static_assert(result_type(ops::imag{}, {bf16_2x3}) == bf16_2x3);

// broken rules
static_assert(broken_by(ops::imag{}, {i32_2x3}) == "imag_i1");
static_assert(broken_by_quantized(ops::imag{}, {q8_2x3}) == "imag_i1");
static_assert(broken_by(ops::imag{}, {c64_2x3}, {f32_3x2}) == "imag_c1");
static_assert(broken_by(ops::imag{}, {c64_2x3}, {f64_2x3}) == "imag_c2");
static_assert(broken_by(ops::imag{}, {c64_2x3}, {c64_2x3}) == "imag_c2");

// values
static_assert(ops::imag::element(complex<double>{1, 2}) == 2);
static_assert(ops::imag::element(2.5f) == 0);

}  // namespace
