// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/dynamic_broadcast_in_dim.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::dynamic_broadcast_in_dim;
constexpr tensor_type f32_1x3 = type_of(dtype::f32, {1, 3}), f32_2x3x2 = type_of(dtype::f32, {2, 3, 2}),
                      i64_3 = type_of(dtype::i64, {3}), i64_2 = type_of(dtype::i64, {2});
constexpr op to_2_1{{2, 1}, {}, {}};

static_assert(result_type(to_2_1, {f32_1x3, i64_3}, {f32_2x3x2}) == f32_2x3x2);
static_assert(result_type(op{{2, 1}, {0}, {1}}, {f32_1x3, i64_3}, {f32_2x3x2}) == f32_2x3x2);
static_assert(broken_by_constants(to_2_1, {f32_1x3, i64_3}, {f32_2x3x2}, {{}, {2, 3, 2}}).empty());

static_assert(broken_by(to_2_1, {token, i64_3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_i1");
static_assert(broken_by(to_2_1, {f32_1x3, f32_2x3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_i2");
static_assert(broken_by(to_2_1, {f32_1x3, i64_3}) == "dynamic_broadcast_in_dim_o1");
static_assert(broken_by(to_2_1, {f32_1x3, i64_3}, {type_of(dtype::f64, {2, 3, 2})}) == "dynamic_broadcast_in_dim_c1");
static_assert(broken_by(op{{1}, {}, {}}, {f32_1x3, i64_3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_c2");
static_assert(broken_by(op{{3, 1}, {}, {}}, {f32_1x3, i64_3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_c3");
static_assert(broken_by(op{{1, 1}, {}, {}}, {f32_1x3, i64_3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_c4");
static_assert(broken_by(op{{0, 2}, {}, {}}, {f32_1x3, i64_3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_c5");
static_assert(broken_by_quantized(op{{0, 1}, {}, {}}, {axis0_2x3, i64_2}, {quantized(dtype::i8, 8, {2, 3})}) ==
              "dynamic_broadcast_in_dim_c6");
static_assert(broken_by(to_2_1, {f32_1x3, i64_2}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_c7");
static_assert(broken_by_constants(to_2_1, {f32_1x3, i64_3}, {f32_2x3x2}, {{}, {2, 3, 4}}) ==
              "dynamic_broadcast_in_dim_c7");
static_assert(broken_by(op{{2, 1}, {0}, {0}}, {f32_1x3, i64_3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_c8");
static_assert(broken_by(op{{2, 1}, {2}, {}}, {f32_1x3, i64_3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_c9");
static_assert(broken_by(op{{2, 1}, {}, {-1}}, {f32_1x3, i64_3}, {f32_2x3x2}) == "dynamic_broadcast_in_dim_c10");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i64>({1, 3}, {1, 2, 3});
  const value result = move(to_2_1, {operand, tensor_of<ui8>({3}, {2, 3, 2})}, type_of(dtype::i64, {2, 3, 2}));
  CHECK(result.as<i64>() == std::vector<i64>{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3});
}

TEST_CASE("a shape that the type does not promise") {
  CHECK_THROWS_AS(move(to_2_1, {counting<f32>({1, 3}), tensor_of<i32>({3}, {2, 3, 3})}, f32_2x3x2), error);
}

}  // namespace
}  // namespace tenon::test
