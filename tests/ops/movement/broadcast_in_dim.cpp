// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/broadcast_in_dim.hpp>

#include <ops/evaluate.hpp>
#include <ops/movement/map_agrees.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr tensor_type f32_1x3 = type_of(dtype::f32, {1, 3}), f32_2x3x2 = type_of(dtype::f32, {2, 3, 2});
constexpr ops::broadcast_in_dim to_2_1{{2, 1}};

static_assert(result_type(to_2_1, {f32_1x3}, {f32_2x3x2}) == f32_2x3x2);
static_assert(result_type(to_2_1, {f32_1x3}, {type_of(dtype::none, {2, 3, 2})}) == f32_2x3x2);
static_assert(result_type(ops::broadcast_in_dim{}, {f32_scalar}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::broadcast_in_dim{{1, 2}}, {axis0_2x3}, {quantized(dtype::i8, 8, {4, 2, 3})}, {},
                          &quantized_details) == quantized(dtype::i8, 8, {4, 2, 3}));
static_assert(result_type(ops::broadcast_in_dim{{0}}, {quantized(dtype::i8, 9, {1})}, {quantized(dtype::i8, 10, {3})},
                          {}, &quantized_details) == quantized(dtype::i8, 10, {3}));

static_assert(broken_by(ops::broadcast_in_dim{}, {token}, {f32_2x3}) == "broadcast_in_dim_i1");
static_assert(broken_by(to_2_1, {f32_1x3}) == "broadcast_in_dim_o1");
static_assert(broken_by(to_2_1, {f32_1x3}, {type_of(dtype::f64, {2, 3, 2})}) == "broadcast_in_dim_c1");
static_assert(broken_by_quantized(ops::broadcast_in_dim{{0, 1}}, {q8_2x3}, {other_scale_2x3}) == "broadcast_in_dim_c1");
static_assert(broken_by(ops::broadcast_in_dim{{1}}, {f32_1x3}, {f32_2x3x2}) == "broadcast_in_dim_c2");
static_assert(broken_by(ops::broadcast_in_dim{{-1, 1}}, {f32_1x3}, {f32_2x3x2}) == "broadcast_in_dim_c3");
static_assert(broken_by(ops::broadcast_in_dim{{3, 1}}, {f32_1x3}, {f32_2x3x2}) == "broadcast_in_dim_c3");
static_assert(broken_by(ops::broadcast_in_dim{{1, 1}}, {f32_1x3}, {f32_2x3x2}) == "broadcast_in_dim_c4");
static_assert(broken_by(ops::broadcast_in_dim{{0, 2}}, {f32_1x3}, {f32_2x3x2}) == "broadcast_in_dim_c5");
static_assert(broken_by_quantized(ops::broadcast_in_dim{{0, 1}}, {axis0_2x3}, {quantized(dtype::i8, 8, {2, 3})}) ==
              "broadcast_in_dim_c6");
static_assert(broken_by_quantized(ops::broadcast_in_dim{{0}}, {quantized(dtype::i8, 9, {1})},
                                  {quantized(dtype::i8, 5, {2})}) == "broadcast_in_dim_c6");

TEST_CASE("the specification's example") {
  const value result = move(to_2_1, {tensor_of<i32>({1, 3}, {1, 2, 3})}, type_of(dtype::i32, {2, 3, 2}));
  CHECK(result.as<i32>() == std::vector<i32>{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3});
}

TEST_CASE("every element comes from where the map says") {
  CHECK(map_agrees(ops::broadcast_in_dim{}, {scalar_of<ui8>(7)}, type_of(dtype::ui8, {5, 3})));
  CHECK(map_agrees(to_2_1, {counting<f32>({1, 7})}, type_of(dtype::f32, {3, 7, 5})));
  CHECK(map_agrees(ops::broadcast_in_dim{{1, 3}}, {counting<f64>({5, 1})}, type_of(dtype::f64, {2, 5, 1, 9})));
  CHECK(map_agrees(ops::broadcast_in_dim{{2, 0}}, {counting<complex<f64>>({5, 3})},
                   type_of(dtype::complex_f64, {3, 2, 5})));
  CHECK(move(ops::broadcast_in_dim{{0}}, {tensor_of<f32>({1}, {2})}, type_of(dtype::f32, {0})).bytes.empty());
}

}  // namespace
}  // namespace tenon::test
