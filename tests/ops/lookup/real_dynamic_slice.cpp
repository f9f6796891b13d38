// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/real_dynamic_slice.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::real_dynamic_slice self;
constexpr tensor_type i64_2 = type_of(dtype::i64, {2}), f32_1x2 = type_of(dtype::f32, {1, 2});

constexpr std::string_view broken_by_values(std::initializer_list<index_t> start, std::initializer_list<index_t> limit,
                                            std::initializer_list<index_t> strides) {
  return broken_by_constants(self, {f32_2x3, i64_2, i64_2, i64_2}, {f32_1x2}, {{}, start, limit, strides});
}

static_assert(result_type(self, {f32_2x3, i64_2, i64_2, i64_2}, {f32_1x2}) == f32_1x2);
static_assert(broken_by_values({1, 0}, {2, 3}, {1, 2}).empty());

static_assert(broken_by(self, {token, i64_2, i64_2, i64_2}, {f32_1x2}) == "real_dynamic_slice_i1");
static_assert(broken_by(self, {f32_2x3, i64_2x3, i64_2, i64_2}, {f32_1x2}) == "real_dynamic_slice_i2");
static_assert(broken_by(self, {f32_2x3, i64_2, f32_1x2, i64_2}, {f32_1x2}) == "real_dynamic_slice_i3");
static_assert(broken_by(self, {f32_2x3, i64_2, i64_2, i32_scalar}, {f32_1x2}) == "real_dynamic_slice_i4");
static_assert(broken_by(self, {f32_2x3, i64_2, i64_2, i64_2}) == "real_dynamic_slice_o1");
static_assert(broken_by(self, {f32_2x3, i64_2, i64_2, i64_2}, {f64_2x3}) == "real_dynamic_slice_c1");
static_assert(broken_by(self, {f32_2x3, i64_2, i64_2, type_of(dtype::i64, {3})}, {f32_1x2}) == "real_dynamic_slice_c2");
static_assert(broken_by_values({1, 0}, {3, 3}, {1, 2}) == "real_dynamic_slice_c3");
static_assert(broken_by_values({-1, 0}, {2, 3}, {1, 2}) == "real_dynamic_slice_c3");
static_assert(broken_by_values({1, 0}, {2, 3}, {1, 0}) == "real_dynamic_slice_c4");
static_assert(broken_by_values({1, 0}, {2, 3}, {1, 1}) == "real_dynamic_slice_c5");
static_assert(broken_by(self, {f32_2x3, i64_2, i64_2, i64_2}, {f32_scalar}) == "real_dynamic_slice_c5");

value sliced(i32 start, i32 limit, i32 stride, const tensor_type& result) {
  return move(
      self,
      {counting<f32>({7}), tensor_of<i32>({1}, {start}), tensor_of<i32>({1}, {limit}), tensor_of<i32>({1}, {stride})},
      result);
}

TEST_CASE("limits from the program") {
  const tensor_type three = type_of(dtype::f32, {3}), up_to_three{dtype::f32, 1, 0, 0, {3}};
  CHECK(sliced(1, 6, 2, three).as<f32>() == std::vector<f32>{2, 4, 6});
  CHECK(sliced(4, 7, 1, three).as<f32>() == std::vector<f32>{5, 6, 7});
  CHECK(sliced(4, 7, 1, up_to_three).as<f32>()[0] == 5);
  CHECK_THROWS_AS(sliced(6, 7, 1, up_to_three), error);
  CHECK_THROWS_AS(sliced(1, 6, 1, three), error);
  CHECK_THROWS_AS(sliced(5, 8, 1, three), error);
  CHECK_THROWS_AS(sliced(-1, 2, 1, three), error);
  CHECK_THROWS_AS(sliced(3, 0, -1, three), error);
}

}  // namespace
}  // namespace tenon::test
