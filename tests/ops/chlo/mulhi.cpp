// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/mulhi.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(dialect_of_op<ops::mulhi>() == "chlo");
static_assert(result_type(ops::mulhi{}, {i32_2x3, i32_2x3}) == i32_2x3);
static_assert(result_type(ops::mulhi{}, {i32_2x3, i32_2x3}, {i32_2x3}) == i32_2x3);
static_assert(result_type(ops::mulhi{}, {ui8_2x3, ui8_2x3}) == ui8_2x3);
static_assert(result_type(ops::mulhi{}, {ui8_2x3, ui8_2x3}, {ui8_2x3}) == ui8_2x3);

// broken rules
static_assert(broken_by(ops::mulhi{}, {f32_2x3, f32_2x3}) == "mulhi_i1");
static_assert(broken_by(ops::mulhi{}, {i1_2x3, i1_2x3}) == "mulhi_i1");
static_assert(broken_by(ops::mulhi{}, {i32_2x3, f32_2x3}) == "mulhi_i2");
static_assert(broken_by(ops::mulhi{}, {i32_2x3, i32_scalar}) == "mulhi_c1");
static_assert(broken_by(ops::mulhi{}, {i32_2x3, i32_2x3}, {i1_scalar}) == "mulhi_c1");

// values
template <class T>
constexpr T upper(T lhs, T rhs) {
  return ops::mulhi::element<T>(lhs, rhs);
}
static_assert(upper<std::int8_t>(-128, -128) == 64 && upper<std::int8_t>(-1, 1) == -1);
static_assert(upper<std::uint8_t>(255, 255) == 254);
static_assert(upper<std::int32_t>(-2147483647 - 1, -2147483647 - 1) == 1073741824);
static_assert(upper<std::uint32_t>(0xFFFFFFFF, 0xFFFFFFFF) == 0xFFFFFFFE);
static_assert(upper<std::int64_t>(-1, 1) == -1 && upper<std::int64_t>(-1, -1) == 0);
static_assert(upper<std::int64_t>(std::int64_t(1) << 62, -8) == -2);
static_assert(upper<std::uint64_t>(~std::uint64_t(0), ~std::uint64_t(0)) == ~std::uint64_t(0) - 1);
// The product of i4 has 8 bits.
static_assert(ops::mulhi::element<i4, std::int8_t>(-8, 7) == -4 && ops::mulhi::element<i4, std::int8_t>(7, 7) == 3);

}  // namespace
