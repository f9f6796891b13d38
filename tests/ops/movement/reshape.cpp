// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/reshape.hpp>

#include <ops/evaluate.hpp>
#include <ops/movement/map_agrees.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::reshape op;

static_assert(result_type(op, {f32_2x3}, {f32_3x2}) == f32_3x2);
static_assert(result_type(op, {f32_2x3}, {type_of(dtype::none, {6})}) == type_of(dtype::f32, {6}));
static_assert(result_type(op, {f32_scalar}, {type_of(dtype::f32, {1, 1})}) == type_of(dtype::f32, {1, 1}));
static_assert(result_type(op, {axis0_2x3}, {quantized(dtype::i8, 8, {1, 2, 3, 1})}, {}, &quantized_details) ==
              quantized(dtype::i8, 8, {1, 2, 3, 1}));

static_assert(broken_by(op, {token}, {f32_2x3}) == "reshape_i1");
static_assert(broken_by(op, {f32_2x3}) == "reshape_o1");
static_assert(broken_by(op, {f32_2x3}, {i32_2x3}) == "reshape_c1");
static_assert(broken_by_quantized(op, {q8_2x3}, {other_scale_2x3}) == "reshape_c1");
static_assert(broken_by_quantized(op, {axis0_2x3}, {axis1_2x3}) == "reshape_c1");
static_assert(broken_by(op, {f32_2x3}, {type_of(dtype::f32, {5})}) == "reshape_c2");
static_assert(broken_by_quantized(op, {axis0_2x3}, {quantized(dtype::i8, 8, {3, 2})}) == "reshape_c3");

TEST_CASE("the elements keep their order") {
  const value result = move(op, {tensor_of<i32>({2, 3}, {1, 2, 3, 4, 5, 6})}, type_of(dtype::i32, {3, 2}));
  CHECK(result.as<i32>() == std::vector<i32>{1, 2, 3, 4, 5, 6});
  CHECK(map_agrees(op, {counting<ui8>({7, 15})}, type_of(dtype::ui8, {5, 3, 7})));
  CHECK(map_agrees(op, {counting<complex<f64>>({4, 3})}, type_of(dtype::complex_f64, {2, 6})));
  CHECK(move(op, {tensor_of<f32>({0, 3}, {})}, type_of(dtype::f32, {5, 0})).bytes.empty());
}

}  // namespace
}  // namespace tenon::test
