// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/dynamic_slice.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr tensor_type i64_scalar = type_of(dtype::i64), f32_1x2 = type_of(dtype::f32, {1, 2});
constexpr ops::dynamic_slice self{{1, 2}};

static_assert(result_type(self, {f32_2x3, i64_scalar, i64_scalar}) == f32_1x2);
static_assert(result_type(ops::dynamic_slice{}, {f32_scalar}) == f32_scalar);

static_assert(broken_by(self, {token, i64_scalar, i64_scalar}) == "dynamic_slice_i1");
static_assert(broken_by_quantized(self, {axis0_2x3, i64_scalar, i64_scalar}) == "dynamic_slice_i1");
static_assert(broken_by(self, {f32_2x3, f32_scalar, f32_scalar}) == "dynamic_slice_i2");
static_assert(broken_by(self, {f32_2x3, i64_2x3, i64_2x3}) == "dynamic_slice_i2");
static_assert(broken_by(self, {f32_2x3, i64_scalar, i64_scalar}, {type_of(dtype::f64, {1, 2})}) == "dynamic_slice_c1");
static_assert(broken_by(self, {f32_2x3, i64_scalar}) == "dynamic_slice_c2");
static_assert(broken_by(ops::dynamic_slice{{1}}, {f32_2x3, i64_scalar, i64_scalar}) == "dynamic_slice_c2");
static_assert(broken_by(self, {f32_2x3, i64_scalar, i32_scalar}) == "dynamic_slice_c3");
static_assert(broken_by(ops::dynamic_slice{{1, 4}}, {f32_2x3, i64_scalar, i64_scalar}) == "dynamic_slice_c4");
static_assert(broken_by(ops::dynamic_slice{{-1, 2}}, {f32_2x3, i64_scalar, i64_scalar}) == "dynamic_slice_c4");
static_assert(broken_by(self, {f32_2x3, i64_scalar, i64_scalar}, {f32_2x3}) == "dynamic_slice_c5");
static_assert(broken_by(self, {}) == "dynamic_slice_i1");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i32>({4, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  const value result =
      move(ops::dynamic_slice{{2, 2}}, {operand, scalar_of<i64>(-1), scalar_of<i64>(3)}, type_of(dtype::i32, {2, 2}));
  CHECK(result.as<i32>() == std::vector<i32>{1, 1, 1, 1});
}

TEST_CASE("slices are moved inside") {
  const value operand = counting<f64>({3, 5, 2});
  const std::vector<f64> from = operand.as<f64>();
  const ints shape{3, 5, 2}, sizes{2, 3, 2};
  for (int i = -1; i < 4; ++i) {
    for (int j = -1; j < 6; ++j) {
      const value result =
          move(ops::dynamic_slice{sizes}, {operand, scalar_of<i8>(i8(i)), scalar_of<i8>(i8(j)), scalar_of<i8>(7)},
               type_of(dtype::f64, sizes));
      const index_t row = i < 0 ? 0 : i > 1 ? 1 : i, column = j < 0 ? 0 : j > 2 ? 2 : j;
      for_each_index(sizes, [&](const ints& index) {
        CHECK(result.as<f64>()[std::size_t(offset_of(sizes, index))] ==
              from[std::size_t(offset_of(shape, {row + index[0], column + index[1], index[2]}))]);
      });
    }
  }
  const value far =
      move(ops::dynamic_slice{{1}}, {counting<ui8>({3}), scalar_of<ui64>(UINT64_MAX)}, type_of(dtype::ui8, {1}));
  CHECK(far.as<ui8>() == std::vector<ui8>{3});
  CHECK(move(ops::dynamic_slice{{0}}, {counting<ui8>({3}), scalar_of<i64>(INT64_MIN)}, type_of(dtype::ui8, {0}))
            .bytes.empty());
}

}  // namespace
}  // namespace tenon::test
