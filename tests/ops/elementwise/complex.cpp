// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/complex.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::complex{}, {f32_2x3, f32_2x3}) == c64_2x3);
static_assert(result_type(ops::complex{}, {f64_2x3, f64_2x3}, {c128_2x3}) == c128_2x3);

// broken rules
static_assert(broken_by(ops::complex{}, {f16_2x3, f32_2x3}) == "complex_i1");
static_assert(broken_by_quantized(ops::complex{}, {q8_2x3, f32_2x3}) == "complex_i1");
static_assert(broken_by(ops::complex{}, {f32_2x3, i32_2x3}) == "complex_i2");
static_assert(broken_by(ops::complex{}, {f32_2x3, f64_2x3}) == "complex_c1");
static_assert(broken_by(ops::complex{}, {f32_2x3, f32_3x2}) == "complex_c1");
static_assert(broken_by(ops::complex{}, {f32_2x3, f32_2x3}, {type_of(dtype::complex_f32, {3, 2})}) == "complex_c2");
static_assert(broken_by(ops::complex{}, {f32_2x3, f32_2x3}, {c128_2x3}) == "complex_c3");
static_assert(broken_by(ops::complex{}, {f32_2x3, f32_2x3}, {f32_2x3}) == "complex_c3");

// values
static_assert(ops::complex::element(1.0, 2.0) == complex<double>{1, 2});
static_assert(ops::complex::element(3.0f, -4.0f) == complex<float>{3, -4});

}  // namespace
