// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/collective_broadcast.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::collective_broadcast;
constexpr tensor_type i32_1 = type_of(dtype::i32, {1}), i32_2 = type_of(dtype::i32, {2});
constexpr op self{{{0, 1}}}, rooted{{{0, 1}}, 0, true};

static_assert(result_type(self, {f32_2x3, i32_scalar}, {f32_2x3, i32_scalar}) == f32_2x3);
static_assert(result_type(rooted, {f32_2x3, i32_scalar, i32_2}, {f32_2x3, i32_scalar}) == f32_2x3);
static_assert(broken_by(op{{{5, 1}, {2, -1}}}, {f32_2x3}) == "collective_broadcast_c2");
static_assert(broken_by_constants(rooted, {f32_2x3, i32_1}, {f32_2x3}, {{}, {1}}).empty());

static_assert(broken_by(self, {token}) == "collective_broadcast_i1");
static_assert(broken_by(op{{{0, 1}, {1, 2}}}, {f32_2x3}) == "collective_broadcast_c1");
static_assert(broken_by(op{{{0, -2}}}, {f32_2x3}) == "collective_broadcast_c2");
static_assert(broken_on({2, 1}, self, {f32_2x3}).empty());
static_assert(broken_on({1, 2}, self, {f32_2x3}) == "collective_broadcast_c2");
static_assert(broken_on({1, 2}, op{{{0, 1}}, 1}, {f32_2x3}).empty());
static_assert(broken_by(self, {}) == "collective_broadcast_c3");
static_assert(broken_by(self, {f32_2x3}, {f32_3x2}) == "collective_broadcast_c3");
static_assert(broken_by(rooted, {i32_1}) == "collective_broadcast_c4");
static_assert(broken_by(rooted, {f32_2x3, f32_2x3}) == "collective_broadcast_c4");
static_assert(broken_by(rooted, {f32_2x3, i32_2}) == "collective_broadcast_c4");
static_assert(broken_by(rooted, {f32_2x3, i32_1}, {f32_3x2}) == "collective_broadcast_c4");
static_assert(broken_by(self, {f32_2x3}, {f32_2x3, f32_2x3}) == "collective_broadcast_c5");
static_assert(broken_by(rooted, {f32_2x3, i32_1}, {f32_2x3, i32_1}) == "collective_broadcast_c5");
static_assert(broken_by_constants(rooted, {f32_2x3, i32_1}, {f32_2x3}, {{}, {2}}) == "collective_broadcast_c6");
static_assert(broken_by_constants(rooted, {f32_2x3, i32_1}, {f32_2x3}, {{}, {-1}}) == "collective_broadcast_c6");

TEST_CASE("a process by itself is its own source, or has zeros") {
  const value operand = counting<f32>({2, 3});
  CHECK(move(op{{{0}}}, {operand}, operand.type).bytes == operand.bytes);
  CHECK(move(op{}, {operand}, operand.type).as<f32>() == std::vector<f32>(6, 0));
  CHECK(move(op{{{0}}, 0, true}, {operand, tensor_of<i32>({1}, {0})}, operand.type).bytes == operand.bytes);
  CHECK_THROWS_AS(move(self, {operand}, operand.type), error);
  CHECK_THROWS_AS(move(op{{{0}}, 0, true}, {operand, tensor_of<i32>({1}, {1})}, operand.type), error);
}

TEST_CASE("the zero of a quantized tensor is its zero point") {
  value operand = blank(quantized(dtype::i8, 2, {3}));
  const value result = move(op{}, {operand}, operand.type, {nullptr, {}, &quantized_details});
  CHECK(result.as<i8>() == std::vector<i8>{-20, -20, -20});
}

}  // namespace
}  // namespace tenon::test
