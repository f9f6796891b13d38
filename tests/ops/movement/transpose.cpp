// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/transpose.hpp>

#include <ops/evaluate.hpp>
#include <ops/movement/map_agrees.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::transpose swap{{1, 0}};

static_assert(result_type(swap, {f32_2x3}) == f32_3x2);
static_assert(result_type(ops::transpose{{2, 1, 0}}, {type_of(dtype::i8, {1, 2, 3})}) == type_of(dtype::i8, {3, 2, 1}));
static_assert(result_type(ops::transpose{}, {f32_scalar}) == f32_scalar);
static_assert(result_type(swap, {axis0_2x3}, {quantized(dtype::i8, 8, {3, 2})}, {}, &quantized_details) ==
              quantized(dtype::i8, 8, {3, 2}));
static_assert(result_type(swap, {tensor_type{dtype::f32, 1, 0, 0, {2, 3}}}) ==
              tensor_type{dtype::f32, 2, 0, 0, {3, 2}});

static_assert(broken_by(swap, {token}) == "transpose_i1");
static_assert(broken_by(swap, {f32_2x3}, {type_of(dtype::f64, {3, 2})}) == "transpose_c1");
static_assert(broken_by_quantized(swap, {q8_2x3}, {quantized(dtype::i8, 2, {3, 2})}) == "transpose_c1");
static_assert(broken_by(ops::transpose{{0}}, {f32_2x3}) == "transpose_c2");
static_assert(broken_by(ops::transpose{{0, 0}}, {f32_2x3}) == "transpose_c2");
static_assert(broken_by(ops::transpose{{0, 2}}, {f32_2x3}) == "transpose_c2");
static_assert(broken_by(swap, {f32_2x3}, {f32_2x3}) == "transpose_c3");
static_assert(broken_by_quantized(swap, {axis0_2x3}, {quantized(dtype::i8, 5, {3, 2})}) == "transpose_c4");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i32>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const value result = move(ops::transpose{{2, 1, 0}}, {operand}, type_of(dtype::i32, {2, 3, 2}));
  CHECK(result.as<i32>() == std::vector<i32>{1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12});
}

TEST_CASE("every element moves, whatever its size") {
  constexpr ops::transpose turn{{2, 0, 3, 1}};
  CHECK(map_agrees(turn, {counting<ui8>({5, 1, 7, 3})}, type_of(dtype::ui8, {7, 5, 3, 1})));
  CHECK(map_agrees(turn, {counting<bf16>({5, 1, 7, 3})}, type_of(dtype::bf16, {7, 5, 3, 1})));
  CHECK(map_agrees(turn, {counting<f32>({5, 1, 7, 3})}, type_of(dtype::f32, {7, 5, 3, 1})));
  CHECK(map_agrees(turn, {counting<f64>({5, 1, 7, 3})}, type_of(dtype::f64, {7, 5, 3, 1})));
  CHECK(map_agrees(turn, {counting<complex<f64>>({5, 1, 7, 3})}, type_of(dtype::complex_f64, {7, 5, 3, 1})));
}

TEST_CASE("nothing and a scalar") {
  CHECK(move(swap, {tensor_of<f32>({0, 3}, {})}, type_of(dtype::f32, {3, 0})).bytes.empty());
  CHECK(move(ops::transpose{}, {scalar_of<f32>(2)}, f32_scalar).as<f32>() == std::vector<f32>{2});
}

}  // namespace
}  // namespace tenon::test
