// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/torch_index_select.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::torch_index_select;
constexpr tensor_type i32_2 = type_of(dtype::i32, {2}), f32_2x2 = type_of(dtype::f32, {2, 2}),
                      f32_0x3 = type_of(dtype::f32, {0, 3});
constexpr tensor_type bounded = [] {
  tensor_type type = f32_2x3;
  type.bound(0);
  return type;
}();

static_assert(result_type(op{1}, {f32_2x3, i32_2}) == f32_2x2);
static_assert(result_type(op{0}, {f32_2x3, type_of(dtype::i64, {4, 5})}) == type_of(dtype::f32, {4, 5, 3}));
static_assert(result_type(op{1, 1}, {f32_2x3, type_of(dtype::ui8, {2, 7})}) == type_of(dtype::f32, {2, 7}));
static_assert(result_type(op{0}, {f32_0x3, type_of(dtype::i32, {0})}) == f32_0x3);

static_assert(broken_by(op{1}, {token, i32_2}) == "torch_index_select_i1");
static_assert(broken_by(op{1}, {f32_2x3, f32_2x3}) == "torch_index_select_i2");
static_assert(broken_by(op{2}, {f32_2x3, i32_2}) == "torch_index_select_c1");
static_assert(broken_by(op{0, 1}, {f32_2x3, i32_2}) == "torch_index_select_c1");
static_assert(broken_by(op{1, 1}, {f32_2x3, type_of(dtype::i32)}) == "torch_index_select_c2");
static_assert(broken_by(op{1, 1}, {f32_2x3, type_of(dtype::i32, {3})}) == "torch_index_select_c3");
static_assert(broken_by(op{1}, {bounded, i32_2}) == "torch_index_select_c4");
static_assert(broken_by(op{0}, {f32_0x3, i32_2}) == "torch_index_select_c5");
static_assert(broken_by(op{1}, {f32_2x3, i32_2}, {f32_2x3}) == "torch_index_select_c6");

TEST_CASE("slices at the indices, which are kept inside") {
  const value operand = counting<f32>({2, 3});
  CHECK(move(op{1}, {operand, tensor_of<i32>({2}, {2, 0})}, f32_2x2).as<f32>() == std::vector<f32>{3, 1, 6, 4});
  CHECK(move(op{0}, {operand, tensor_of<i64>({3}, {-5, 1, 9})}, type_of(dtype::f32, {3, 3})).as<f32>() ==
        std::vector<f32>{1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(move(op{1, 1}, {operand, tensor_of<ui8>({2, 2}, {2, 1, 0, 0})}, f32_2x2).as<f32>() ==
        std::vector<f32>{3, 2, 4, 4});
}

}  // namespace
}  // namespace tenon::test
