// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/reverse.hpp>

#include <ops/evaluate.hpp>
#include <ops/movement/map_agrees.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

static_assert(result_type(ops::reverse{{1}}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::reverse{}, {f32_scalar}) == f32_scalar);

static_assert(broken_by(ops::reverse{}, {token}) == "reverse_i1");
static_assert(broken_by_quantized(ops::reverse{}, {axis1_2x3}) == "reverse_i1");
static_assert(broken_by(ops::reverse{{0}}, {f32_2x3}, {f32_3x2}) == "reverse_c1");
static_assert(broken_by(ops::reverse{{0, 0}}, {f32_2x3}) == "reverse_c2");
static_assert(broken_by(ops::reverse{{2}}, {f32_2x3}) == "reverse_c3");
static_assert(broken_by(ops::reverse{{-1}}, {f32_2x3}) == "reverse_c3");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i32>({3, 2}, {1, 2, 3, 4, 5, 6});
  const value result = move(ops::reverse{{1}}, {operand}, type_of(dtype::i32, {3, 2}));
  CHECK(result.as<i32>() == std::vector<i32>{2, 1, 4, 3, 6, 5});
}

TEST_CASE("every element comes from where the map says") {
  CHECK(map_agrees(ops::reverse{}, {counting<f32>({3, 5})}, type_of(dtype::f32, {3, 5})));
  CHECK(map_agrees(ops::reverse{{0, 2}}, {counting<ui8>({3, 5, 7})}, type_of(dtype::ui8, {3, 5, 7})));
  CHECK(map_agrees(ops::reverse{{1, 0}}, {counting<complex<f64>>({4, 1})}, type_of(dtype::complex_f64, {4, 1})));
  CHECK(move(ops::reverse{{1}}, {tensor_of<f64>({2, 0}, {})}, type_of(dtype::f64, {2, 0})).bytes.empty());
}

}  // namespace
}  // namespace tenon::test
