// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/all_reduce.hpp>

#include <ops/bodies.hpp>
#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

namespace {

using op = ops::all_reduce;
constexpr signature f32_body = combining<dtype::f32>, f64_body = combining<dtype::f64>;
constexpr op pair{{{0, 1}}}, ragged{{{0, 1}, {2, -1}}}, flattened{{{0, 1, 2, 3}}, 1, true};

constexpr id_table no_rows(int columns) {
  id_table table;
  table.columns = columns;
  return table;
}

static_assert(result_type(pair, {f32_2x3}, {f32_2x3}, {f32_body}) == f32_2x3);
static_assert(result_type(pair, {f32_2x3}, {f64_2x3}, {f64_body}) == f64_2x3);
static_assert(broken_by(pair, {f32_2x3, f32_scalar}, {f64_2x3, f64_scalar}, {f64_body}).empty());
static_assert(broken_by(ragged, {f32_2x3}, {}, {f32_body}).empty());
static_assert(broken_by(op{}, {f32_2x3}, {}, {f32_body}).empty());

static_assert(broken_by(pair, {token}, {}, {f32_body}) == "all_reduce_i1");
static_assert(broken_by(op{{{0, 1, 1, 3}}}, {f32_2x3}, {}, {f32_body}) == "all_reduce_c1");
static_assert(broken_on({3, 1}, ragged, {f32_2x3}, {}, {f32_body}).empty());
static_assert(broken_on({4, 1}, ragged, {f32_2x3}, {}, {f32_body}) == "all_reduce_c2");
static_assert(broken_on({2, 2}, flattened, {f32_2x3}, {}, {f32_body}).empty());
static_assert(broken_on({2, 1}, flattened, {f32_2x3}, {}, {f32_body}) == "all_reduce_c2");
static_assert(broken_by(op{no_rows(2), 1, true}, {f32_2x3}, {}, {f32_body}) == "all_reduce_c2");
static_assert(broken_by(op{{{0, 2}}}, {f32_2x3}, {}, {f32_body}) == "all_reduce_c3");
static_assert(broken_by(op{{{0, -2}}}, {f32_2x3}, {}, {f32_body}) == "all_reduce_c3");
static_assert(broken_by(op{{{0, 1}}, 0, true}, {f32_2x3}, {}, {f32_body}) == "all_reduce_c4");
static_assert(broken_by(pair, {f64_2x3}, {}, {f32_body}) == "all_reduce_c5");
static_assert(broken_by(pair, {f32_2x3}, {}, {combining<dtype::i32>}) == "all_reduce_c5");
static_assert(broken_by(pair, {f32_2x3}, {}, {comparing<dtype::f32>}) == "all_reduce_c5");
static_assert(broken_by(pair, {f32_2x3}) == "all_reduce_c5");
static_assert(broken_by(pair, {f32_2x3}, {f32_3x2}, {f32_body}) == "all_reduce_c6");
static_assert(broken_by(pair, {f32_2x3}, {f32_2x3}, {f64_body}) == "all_reduce_c7");

TEST_CASE("a process by itself has the sum already") {
  const value operand = counting<f32>({2, 3});
  CHECK(move(op{{{0}}}, {operand}, operand.type).bytes == operand.bytes);
  CHECK(move(op{{{0}}}, {operand}, f64_2x3).as<f64>() == std::vector<f64>{1, 2, 3, 4, 5, 6});
  CHECK_THROWS_AS(move(pair, {operand}, operand.type), error);
}

}  // namespace
}  // namespace tenon::test
