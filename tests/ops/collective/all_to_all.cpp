// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/all_to_all.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::all_to_all;
constexpr tensor_type f32_4x6 = type_of(dtype::f32, {4, 6}), f32_8x3 = type_of(dtype::f32, {8, 3});
constexpr op self{1, 0, 2, {{0, 1}}};

static_assert(result_type(self, {f32_4x6}) == f32_8x3);
static_assert(result_type(op{1, 1, 2, {{0, 1}}}, {f32_4x6}) == f32_4x6);
static_assert(broken_by(self, {f32_4x6, f32_4x6}, {f32_8x3, f32_8x3}).empty());
static_assert(broken_by(op{1, 0, 2}, {f32_4x6}, {f32_8x3}).empty());

static_assert(broken_by(self, {token}) == "all_to_all_i1");
static_assert(broken_by_quantized(self, {axis0_2x3}) == "all_to_all_i1");
static_assert(broken_by(op{2, 0, 2, {{0, 1}}}, {f32_4x6}) == "all_to_all_c1");
static_assert(broken_by(op{-1, 0, 2, {{0, 1}}}, {f32_4x6}) == "all_to_all_c1");
static_assert(broken_by(op{1, 0, 4, {{0, 1, 2, 3}}}, {f32_4x6}) == "all_to_all_c2");
static_assert(broken_by(op{1, 2, 2, {{0, 1}}}, {f32_4x6}) == "all_to_all_c3");
static_assert(broken_by(op{1, -1, 2, {{0, 1}}}, {f32_4x6}) == "all_to_all_c3");
static_assert(broken_by(op{1, 0, 0, {{0, 1}}}, {f32_4x6}) == "all_to_all_c4");
static_assert(broken_by(op{1, 0, 2, {{0, 0}}}, {f32_4x6}) == "all_to_all_c5");
static_assert(broken_on({2, 1}, self, {f32_4x6}).empty());
static_assert(broken_on({4, 1}, self, {f32_4x6}) == "all_to_all_c6");
static_assert(broken_on({2, 4}, op{1, 0, 2, {{0, 1}}, 1}, {f32_4x6}) == "all_to_all_c6");
static_assert(broken_by(op{1, 0, 2, {{0, 2}}}, {f32_4x6}) == "all_to_all_c7");
static_assert(broken_by(op{1, 0, 2, {{0, -1}}}, {f32_4x6}) == "all_to_all_c7");
static_assert(broken_by(op{1, 0, 3, {{0, 1}}}, {f32_4x6}) == "all_to_all_c8");
static_assert(broken_by(self, {f32_4x6}, {f32_4x6}) == "all_to_all_c9");
static_assert(broken_by(self, {f32_4x6}, {type_of(dtype::f64, {8, 3})}) == "all_to_all_c9");
static_assert(broken_by(self, {f32_4x6, f32_4x6}, {f32_8x3}) == "results");

TEST_CASE("a process by itself keeps what it has") {
  const value operand = counting<f32>({4, 6});
  CHECK(move(op{1, 0, 1, {{0}}}, {operand}, operand.type).bytes == operand.bytes);
  CHECK_THROWS_AS(move(self, {operand}, f32_8x3), error);
}

}  // namespace
}  // namespace tenon::test
