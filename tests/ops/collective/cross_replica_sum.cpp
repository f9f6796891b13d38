// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/cross_replica_sum.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::cross_replica_sum;
constexpr op pair{{{0, 1}}};

static_assert(result_type(pair, {f32_2x3}, {f32_2x3}) == f32_2x3);

static_assert(broken_by(pair, {token}) == "cross_replica_sum_i1");
static_assert(broken_by(op{{{0, 0}}}, {f32_2x3}) == "cross_replica_sum_c1");
static_assert(broken_on({3, 1}, pair, {f32_2x3}) == "cross_replica_sum_c2");
static_assert(broken_by(op{{{0, 2}}}, {f32_2x3}) == "cross_replica_sum_c3");
static_assert(broken_by(pair, {f32_2x3}, {f32_3x2}) == "cross_replica_sum_c4");

TEST_CASE("a process by itself has the sum already") {
  const value operand = counting<f32>({2, 3});
  CHECK(move(op{{{0}}}, {operand}, operand.type).bytes == operand.bytes);
  CHECK_THROWS_AS(move(pair, {operand}, operand.type), error);
}

}  // namespace
}  // namespace tenon::test
