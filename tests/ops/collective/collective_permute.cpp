// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/collective_permute.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::collective_permute;
constexpr op swaps{{{0, 1}, {1, 0}}};

constexpr id_table no_rows(int columns) {
  id_table table;
  table.columns = columns;
  return table;
}

static_assert(result_type(swaps, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(broken_by(op{}, {f32_2x3}).empty());

static_assert(broken_by(swaps, {token}) == "collective_permute_i1");
static_assert(broken_by(op{{{0, 1, 2}}}, {f32_2x3}) == "collective_permute_c1");
static_assert(broken_by(op{no_rows(3)}, {f32_2x3}) == "collective_permute_c1");
static_assert(broken_by(op{no_rows(2)}, {f32_2x3}).empty());
static_assert(broken_by(op{{{0, 1}, {0, 2}}}, {f32_2x3}) == "collective_permute_c2");
static_assert(broken_by(op{{{0, 1}, {2, 1}}}, {f32_2x3}) == "collective_permute_c3");
static_assert(broken_by(op{{{0, 1}, {-1, 0}}}, {f32_2x3}) == "collective_permute_c4");
static_assert(broken_on({2, 1}, swaps, {f32_2x3}).empty());
static_assert(broken_on({1, 2}, swaps, {f32_2x3}) == "collective_permute_c4");
static_assert(broken_on({1, 2}, op{{{0, 1}}, 1}, {f32_2x3}).empty());
static_assert(broken_by(swaps, {f32_2x3}, {f32_3x2}) == "collective_permute_c5");

TEST_CASE("a process by itself sends to itself, or receives nothing") {
  const value operand = counting<i64>({2, 3});
  CHECK(move(op{{{0, 0}}}, {operand}, operand.type).bytes == operand.bytes);
  CHECK(move(op{}, {operand}, operand.type).as<i64>() == std::vector<i64>(6, 0));
  CHECK_THROWS_AS(move(swaps, {operand}, operand.type), error);
}

}  // namespace
}  // namespace tenon::test
