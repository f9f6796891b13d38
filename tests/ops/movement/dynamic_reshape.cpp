// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/dynamic_reshape.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::dynamic_reshape op;
constexpr tensor_type i32_2 = type_of(dtype::i32, {2}), i32_4 = type_of(dtype::i32, {4});

static_assert(result_type(op, {f32_2x3, i32_2}, {f32_3x2}) == f32_3x2);
static_assert(broken_by_constants(op, {f32_2x3, i32_2}, {f32_3x2}, {{}, {3, 2}}).empty());

static_assert(broken_by(op, {token, i32_2}, {f32_3x2}) == "dynamic_reshape_i1");
static_assert(broken_by(op, {f32_2x3, i32_scalar}, {f32_3x2}) == "dynamic_reshape_i2");
static_assert(broken_by(op, {f32_2x3, i32_2}) == "dynamic_reshape_o1");
static_assert(broken_by(op, {f32_2x3, i32_2}, {i32_2x3}) == "dynamic_reshape_c1");
static_assert(broken_by(op, {f32_2x3, i32_2}, {type_of(dtype::f32, {5, 1})}) == "dynamic_reshape_c2");
// How many elements there are is known at run time only.
static_assert(broken_by(op, {f32_2x3, i32_2}, {tensor_type{dtype::f32, 3, 0, 0, {4, 5}}}).empty());
static_assert(broken_by_quantized(op, {axis0_2x3, i32_4}, {quantized(dtype::i8, 8, {2, 3, 1, 1})}) ==
              "dynamic_reshape_c3");
static_assert(broken_by(op, {f32_2x3, i32_4}, {f32_3x2}) == "dynamic_reshape_c4");
static_assert(broken_by_constants(op, {f32_2x3, i32_2}, {f32_3x2}, {{}, {2, 3}}) == "dynamic_reshape_c4");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i64>({2, 3}, {1, 2, 3, 4, 5, 6});
  const value result = move(op, {operand, tensor_of<i64>({2}, {3, 2})}, type_of(dtype::i64, {3, 2}));
  CHECK(result.as<i64>() == std::vector<i64>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a shape that the type does not promise") {
  CHECK_THROWS_AS(move(op, {counting<f32>({2, 3}), tensor_of<i64>({2}, {2, 3})}, f32_3x2), error);
}

}  // namespace
}  // namespace tenon::test
