// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/broadcast.hpp>

#include <ops/evaluate.hpp>
#include <ops/movement/map_agrees.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr tensor_type f32_4x2x3 = type_of(dtype::f32, {4, 2, 3});

static_assert(result_type(ops::broadcast{{4}}, {f32_2x3}) == f32_4x2x3);
static_assert(result_type(ops::broadcast{}, {f32_2x3}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::broadcast{{4}}, {q8_2x3}, {}, {}, &quantized_details) ==
              quantized(dtype::i8, 1, {4, 2, 3}));

static_assert(broken_by(ops::broadcast{{4}}, {token}) == "broadcast_i1");
static_assert(broken_by(ops::broadcast{{-1}}, {f32_2x3}) == "broadcast_i2");
static_assert(broken_by(ops::broadcast{{1, 1, 1, 1, 1, 1, 1}}, {f32_2x3}) == "broadcast_i2");
static_assert(broken_by(ops::broadcast{{4}}, {f32_2x3}, {type_of(dtype::f32, {1, 4, 2, 3})}) == "broadcast_c1");
static_assert(broken_by(ops::broadcast{{4}}, {f32_2x3}, {type_of(dtype::f64, {4, 2, 3})}) == "broadcast_c2");

TEST_CASE("the elements repeat") {
  const value result = move(ops::broadcast{{2}}, {tensor_of<i16>({3}, {1, 2, 3})}, type_of(dtype::i16, {2, 3}));
  CHECK(result.as<i16>() == std::vector<i16>{1, 2, 3, 1, 2, 3});
  CHECK(map_agrees(ops::broadcast{{3, 1}}, {counting<f32>({5, 7})}, type_of(dtype::f32, {3, 1, 5, 7})));
}

}  // namespace
}  // namespace tenon::test
