// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/all_gather.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::all_gather;
constexpr tensor_type f32_2x6 = type_of(dtype::f32, {2, 6}), f32_2x12 = type_of(dtype::f32, {2, 12});
constexpr op replicas{1, {{0, 1}}}, everything{1, {{0, 1}}, 1, true}, partitions_too{1, {{0, 1}}, 1};

constexpr id_table no_rows(int columns) {
  id_table table;
  table.columns = columns;
  return table;
}
constexpr op grouped(const id_table& groups) { return {1, groups}; }

static_assert(result_type(replicas, {f32_2x3}) == f32_2x6);
static_assert(result_type(replicas, {f32_2x3}, {f32_2x6}) == f32_2x6);
static_assert(result_type(everything, {f32_2x3}, {f32_2x6}) == f32_2x6);
static_assert(broken_by(replicas, {f32_2x3, f32_2x6}, {f32_2x6, f32_2x12}).empty());
// how many partitions there are decides
static_assert(broken_by(partitions_too, {f32_2x3}, {f32_2x6}).empty());
static_assert(broken_by(partitions_too, {f32_2x3}, {f32_2x12}).empty());
static_assert(broken_on({2, 2}, partitions_too, {f32_2x3}, {f32_2x12}).empty());
static_assert(broken_on({2, 2}, partitions_too, {f32_2x3}, {f32_2x6}) == "all_gather_c6");
// groups that only a mesh decides
static_assert(broken_by(grouped({}), {f32_2x3}, {f32_2x12}).empty());

static_assert(broken_by(replicas, {token}) == "all_gather_i1");
static_assert(broken_by_quantized(replicas, {axis0_2x3}) == "all_gather_i1");
static_assert(broken_by(op{2, {{0, 1}}}, {f32_2x3}) == "all_gather_c1");
static_assert(broken_by(op{-1, {{0, 1}}}, {f32_2x3}) == "all_gather_c1");
static_assert(broken_by(grouped({{0, 1}, {2, 1}}), {f32_2x3}) == "all_gather_c2");
static_assert(broken_on({2, 1}, replicas, {f32_2x3}).empty());
static_assert(broken_on({3, 1}, replicas, {f32_2x3}) == "all_gather_c3");
static_assert(broken_on({2, 2}, everything, {f32_2x3}) == "all_gather_c3");
static_assert(broken_by(grouped(no_rows(2)), {f32_2x3}, {f32_2x12}).empty());
static_assert(broken_by(op{1, no_rows(2), 1, true}, {f32_2x3}, {f32_2x12}) == "all_gather_c3");
static_assert(broken_by(grouped({{0, 2}}), {f32_2x3}) == "all_gather_c4");
static_assert(broken_by(grouped({{0, -1}}), {f32_2x3}) == "all_gather_c4");
static_assert(broken_by(op{1, {{0, 1}}, 0, true}, {f32_2x3}) == "all_gather_c5");
static_assert(broken_by(replicas, {f32_2x3}, {f32_2x12}) == "all_gather_c6");
static_assert(broken_by(replicas, {f32_2x3}, {type_of(dtype::f64, {2, 6})}) == "all_gather_c6");
static_assert(broken_by(partitions_too, {f32_2x3}, {type_of(dtype::f32, {2, 10})}) == "all_gather_c6");
static_assert(broken_by(partitions_too, {f32_2x3}, {type_of(dtype::f32, {6})}) == "all_gather_c6");
static_assert(broken_by(partitions_too, {type_of(dtype::f32, {2, 0})}, {f32_2x6}) == "all_gather_c6");

TEST_CASE("a process by itself has everything already") {
  const value operand = counting<f32>({2, 3});
  CHECK(move(op{1, {{0}}}, {operand}, operand.type).bytes == operand.bytes);
  CHECK_THROWS_AS(move(replicas, {operand}, f32_2x6), error);
}

}  // namespace
}  // namespace tenon::test
