// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/creation/get_dimension_size.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

static_assert(result_type(ops::get_dimension_size{1}, {f32_2x3}) == i32_scalar);
static_assert(result_type(ops::get_dimension_size{1}, {axis0_2x3}, {}, {}, &quantized_details) == i32_scalar);

static_assert(broken_by(ops::get_dimension_size{}, {token}) == "get_dimension_size_i1");
static_assert(broken_by(ops::get_dimension_size{2}, {f32_2x3}) == "get_dimension_size_c1");
static_assert(broken_by(ops::get_dimension_size{-1}, {f32_2x3}) == "get_dimension_size_c1");
static_assert(broken_by(ops::get_dimension_size{}, {f32_2x3}, {f32_scalar}) == "get_dimension_size_o1");

TEST_CASE("the specification's example") {
  const value operand = counting<i64>({2, 3});
  CHECK(move(ops::get_dimension_size{1}, {operand}, i32_scalar).as<i32>() == std::vector<i32>{3});
}

}  // namespace
}  // namespace tenon::test
