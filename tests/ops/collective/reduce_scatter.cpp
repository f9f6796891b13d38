// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/reduce_scatter.hpp>

#include <ops/bodies.hpp>
#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

namespace {

using op = ops::reduce_scatter;
constexpr tensor_type f32_2x8 = type_of(dtype::f32, {2, 8}), f32_2x4 = type_of(dtype::f32, {2, 4}),
                      f32_2x2 = type_of(dtype::f32, {2, 2}), f64_2x4 = type_of(dtype::f64, {2, 4});
constexpr signature body = combining<dtype::f32>, wide = combining<dtype::f64>;
constexpr id_table no_rows(int columns) {
  id_table table;
  table.columns = columns;
  return table;
}
constexpr op self{1, {{0, 1}}}, partitions_too{1, {{0, 1}}, 1};

static_assert(result_type(self, {f32_2x8}, {}, {body}) == f32_2x4);
static_assert(result_type(self, {f32_2x8}, {f64_2x4}, {wide}) == f64_2x4);
// how many partitions there are decides
static_assert(broken_by(partitions_too, {f32_2x8}, {f32_2x4}, {body}).empty());
static_assert(broken_by(partitions_too, {f32_2x8}, {f32_2x2}, {body}).empty());
static_assert(broken_on({2, 2}, partitions_too, {f32_2x8}, {f32_2x2}, {body}).empty());
static_assert(broken_on({2, 2}, partitions_too, {f32_2x8}, {f32_2x4}, {body}) == "reduce_scatter_c8");

static_assert(broken_by(self, {token}, {}, {body}) == "reduce_scatter_i1");
static_assert(broken_by(self, {f32_2x3}, {}, {body}) == "reduce_scatter_c1");
static_assert(broken_by(partitions_too, {f32_2x8}, {f32_2x3}, {body}) == "reduce_scatter_c1");
static_assert(broken_by(op{2, {{0, 1}}}, {f32_2x8}, {}, {body}) == "reduce_scatter_c2");
static_assert(broken_by(op{-1, {{0, 1}}}, {f32_2x8}, {}, {body}) == "reduce_scatter_c2");
static_assert(broken_by(op{1, {{0, 0}}}, {f32_2x8}, {}, {body}) == "reduce_scatter_c3");
static_assert(broken_on({4, 1}, self, {f32_2x8}, {}, {body}) == "reduce_scatter_c4");
static_assert(broken_by(op{1, no_rows(2), 1, true}, {f32_2x8}, {f32_2x4}, {body}) == "reduce_scatter_c4");
static_assert(broken_by(op{1, {{0, -1}}}, {f32_2x8}, {}, {body}) == "reduce_scatter_c5");
static_assert(broken_by(op{1, {{0, 2}}}, {f32_2x8}, {}, {body}) == "reduce_scatter_c5");
static_assert(broken_by(op{1, {{0, 1}}, 0, true}, {f32_2x8}, {}, {body}) == "reduce_scatter_c6");
static_assert(broken_by(self, {f32_2x8}, {}, {combining<dtype::i32>}) == "reduce_scatter_c7");
static_assert(broken_by(self, {f32_2x8}) == "reduce_scatter_c7");
static_assert(broken_by(self, {f32_2x8}, {f32_2x8}, {body}) == "reduce_scatter_c8");
static_assert(broken_by(self, {f32_2x8}, {f32_2x4}, {wide}) == "reduce_scatter_c9");

TEST_CASE("a process by itself keeps the whole") {
  const value operand = counting<f32>({2, 8});
  CHECK(move(op{1, {{0}}}, {operand}, operand.type).bytes == operand.bytes);
  CHECK_THROWS_AS(move(self, {operand}, f32_2x4), error);
}

}  // namespace
}  // namespace tenon::test
