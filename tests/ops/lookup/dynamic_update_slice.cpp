// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/dynamic_update_slice.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::dynamic_update_slice self;
constexpr tensor_type i64_scalar = type_of(dtype::i64), f32_1x2 = type_of(dtype::f32, {1, 2});

static_assert(result_type(self, {f32_2x3, f32_1x2, i64_scalar, i64_scalar}) == f32_2x3);
static_assert(result_type(self, {f32_scalar, f32_scalar}) == f32_scalar);

static_assert(broken_by(self, {token, f32_1x2, i64_scalar, i64_scalar}) == "dynamic_update_slice_i1");
static_assert(broken_by(self, {f32_2x3, token, i64_scalar, i64_scalar}) == "dynamic_update_slice_i2");
static_assert(broken_by(self, {f32_2x3, f32_1x2, f32_scalar, f32_scalar}) == "dynamic_update_slice_i3");
static_assert(broken_by(self, {f32_2x3, f32_1x2, i64_scalar, i64_scalar}, {f32_3x2}) == "dynamic_update_slice_c1");
static_assert(broken_by(self, {f32_2x3, f64_2x3, i64_scalar, i64_scalar}) == "dynamic_update_slice_c2");
static_assert(broken_by_quantized(self, {q8_2x3, other_scale_2x3, i64_scalar, i64_scalar}) ==
              "dynamic_update_slice_c2");
static_assert(broken_by(self, {f32_2x3, f32_scalar, i64_scalar, i64_scalar}) == "dynamic_update_slice_c3");
static_assert(broken_by(self, {f32_2x3, f32_1x2, i64_scalar}) == "dynamic_update_slice_c4");
static_assert(broken_by(self, {f32_2x3, f32_1x2, i64_scalar, i32_scalar}) == "dynamic_update_slice_c5");
static_assert(broken_by(self, {f32_2x3, f32_3x2, i64_scalar, i64_scalar}) == "dynamic_update_slice_c6");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i32>({4, 4}, {1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1});
  const value update = tensor_of<i32>({2, 2}, {1, 1, 1, 1});
  const value result = move(self, {operand, update, scalar_of<i64>(-1), scalar_of<i64>(3)}, operand.type);
  CHECK(result.as<i32>() == std::vector<i32>(16, 1));
}

TEST_CASE("the update is moved inside, the rest stays") {
  const value operand = counting<i16>({3, 4}), update = tensor_of<i16>({2, 1}, {-1, -2});
  const value result = move(self, {operand, update, scalar_of<ui8>(9), scalar_of<ui8>(2)}, operand.type);
  CHECK(result.as<i16>() == std::vector<i16>{1, 2, 3, 4, 5, 6, -1, 8, 9, 10, -2, 12});
  const value nothing = tensor_of<i16>({0, 4}, {});
  CHECK(move(self, {operand, nothing, scalar_of<ui8>(0), scalar_of<ui8>(0)}, operand.type).bytes == operand.bytes);
}

}  // namespace
}  // namespace tenon::test
