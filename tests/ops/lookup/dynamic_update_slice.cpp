// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/dynamic_update_slice.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

#include <algorithm>

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

TEST_CASE("wide rows") {
  const ints shape{3, 4, 300};
  const value operand = counting<i32>(shape);
  for (const ints& update : {ints{2, 3, 20}, ints{1, 4, 300}, ints{3, 4, 300}, ints{2, 2, 300}, ints{3, 1, 299}})
    for (index_t at : {0, 1, 2}) {
      CAPTURE(update.size);
      std::vector<i32> inside(std::size_t(update.product()));
      for (std::size_t i = 0; i < inside.size(); ++i) inside[i] = -1 - i32(i);
      std::vector<i32> expected = operand.as<i32>();
      index_t start[3];
      for (int axis = 0; axis < 3; ++axis) start[axis] = std::min(at, shape[axis] - update[axis]);
      for (index_t i = 0, k = 0; i < update[0]; ++i)
        for (index_t j = 0; j < update[1]; ++j)
          for (index_t c = 0; c < update[2]; ++c, ++k)
            expected[std::size_t(((start[0] + i) * 4 + start[1] + j) * 300 + start[2] + c)] = inside[std::size_t(k)];
      const value given = scalar_of<i64>(at);
      CHECK(move(self, {operand, tensor_of<i32>(update, inside), given, given, given}, operand.type).as<i32>() ==
            expected);
    }
}

}  // namespace
}  // namespace tenon::test
