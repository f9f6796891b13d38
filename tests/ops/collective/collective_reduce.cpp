// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/collective_reduce.hpp>

#include <ops/bodies.hpp>
#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

namespace {

using op = ops::collective_reduce;
constexpr tensor_type i32_1 = type_of(dtype::i32, {1}), i32_2 = type_of(dtype::i32, {2});
constexpr signature f32_body = combining<dtype::f32>, f64_body = combining<dtype::f64>;
constexpr op self{{{0, 1}}}, rooted{{{0, 1}}, 0, true};

static_assert(result_type(self, {f32_2x3}, {f64_2x3}, {f64_body}) == f64_2x3);
static_assert(result_type(rooted, {f32_2x3, f32_scalar, i32_2}, {f32_2x3, f32_scalar}, {f32_body}) == f32_2x3);

static_assert(broken_by(self, {token}, {}, {f32_body}) == "collective_reduce_i1");
static_assert(broken_by(op{{{0, 1}, {1, 2}}}, {f32_2x3}, {}, {f32_body}) == "collective_reduce_c1");
static_assert(broken_by(op{{{0, -2}}}, {f32_2x3}, {}, {f32_body}) == "collective_reduce_c2");
static_assert(broken_on({1, 2}, self, {f32_2x3}, {}, {f32_body}) == "collective_reduce_c2");
static_assert(broken_by(self, {}, {}, {f32_body}) == "collective_reduce_c3");
static_assert(broken_by(rooted, {i32_1}, {}, {f32_body}) == "collective_reduce_c3");
static_assert(broken_by(rooted, {f32_2x3, i32_2}, {}, {f32_body}) == "collective_reduce_c3");
static_assert(broken_by(rooted, {f32_2x3, f32_2x3}, {}, {f32_body}) == "collective_reduce_c3");
static_assert(broken_by(self, {f32_2x3}, {f32_3x2}, {f32_body}) == "collective_reduce_c3");
static_assert(broken_by(self, {f64_2x3}, {}, {f32_body}) == "collective_reduce_c4");
static_assert(broken_by(self, {f32_2x3}, {f32_2x3}, {f64_body}) == "collective_reduce_c4");
static_assert(broken_by(self, {f32_2x3}) == "collective_reduce_c4");
static_assert(broken_by(op{{{0, 1}}, 0, false, true}, {f32_2x3}, {}, {f32_body}) ==
              "collective_reduce_use_global_device_ids");

TEST_CASE("a process by itself is its own root, or has zeros") {
  const value operand = counting<f32>({2, 3});
  CHECK(move(op{{{0}}}, {operand}, f64_2x3).as<f64>() == std::vector<f64>{1, 2, 3, 4, 5, 6});
  CHECK(move(op{}, {operand}, operand.type).as<f32>() == std::vector<f32>(6, 0));
  CHECK_THROWS_AS(move(self, {operand}, operand.type), error);
  CHECK_THROWS_AS(move(op{{{0}}, 0, true}, {operand, tensor_of<i32>({1}, {1})}, operand.type), error);
}

}  // namespace
}  // namespace tenon::test
