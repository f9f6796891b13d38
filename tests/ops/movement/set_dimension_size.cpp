// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/set_dimension_size.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::set_dimension_size along_1{1};
constexpr tensor_type f32_2x2 = type_of(dtype::f32, {2, 2}), up_to_3{dtype::f32, 2, 0, 0, {2, 3}},
                      up_to_2{dtype::f32, 2, 0, 0, {2, 2}};

static_assert(result_type(along_1, {f32_2x3, i32_scalar}) == up_to_3);
static_assert(result_type(along_1, {f32_2x3, i32_scalar}, {f32_2x2}) == f32_2x2);
static_assert(broken_by_constants(along_1, {f32_2x3, i32_scalar}, {f32_2x2}, {{}, {2}}).empty());
static_assert(broken_by_constants(along_1, {f32_2x3, i32_scalar}, {up_to_3}, {{}, {2}}).empty());
static_assert(broken_by_constants(along_1, {f32_2x3, i32_scalar}, {up_to_2}, {{}, {2}}).empty());
static_assert(broken_by_constants(along_1, {f32_2x3, i32_scalar}, {up_to_2}, {{}, {3}}) == "set_dimension_size_c2");

static_assert(broken_by(along_1, {token, i32_scalar}) == "set_dimension_size_i1");
static_assert(broken_by(along_1, {f32_2x3, f32_scalar}) == "set_dimension_size_i2");
static_assert(broken_by(ops::set_dimension_size{2}, {f32_2x3, i32_scalar}) == "set_dimension_size_c1");
static_assert(broken_by(ops::set_dimension_size{-1}, {f32_2x3, i32_scalar}) == "set_dimension_size_c1");
static_assert(broken_by(along_1, {f32_2x3, i32_scalar}, {type_of(dtype::f32, {2, 4})}) == "set_dimension_size_c2");
static_assert(broken_by_constants(along_1, {f32_2x3, i32_scalar}, {}, {{}, {4}}) == "set_dimension_size_c2");
static_assert(broken_by_constants(along_1, {f32_2x3, i32_scalar}, {f32_2x2}, {{}, {1}}) == "set_dimension_size_c3");
static_assert(broken_by(along_1, {f32_2x3, i32_scalar}, {type_of(dtype::f32, {1, 3})}) == "set_dimension_size_c3");

TEST_CASE("the first elements along the dimension") {
  const value operand = tensor_of<f32>({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(move(along_1, {operand, scalar_of<i32>(2)}, f32_2x2).as<f32>() == std::vector<f32>{1, 2, 4, 5});
  CHECK(move(along_1, {operand, scalar_of<i32>(3)}, f32_2x3).as<f32>() == operand.as<f32>());
  CHECK(move(along_1, {operand, scalar_of<i32>(3)}, up_to_3).as<f32>() == operand.as<f32>());
}

TEST_CASE("a size that the type does not promise") {
  CHECK_THROWS_AS(move(along_1, {counting<f32>({2, 3}), scalar_of<i32>(1)}, f32_2x2), error);
  CHECK_THROWS_AS(move(along_1, {counting<f32>({2, 3}), scalar_of<i32>(1)}, up_to_3), error);
}

}  // namespace
}  // namespace tenon::test
