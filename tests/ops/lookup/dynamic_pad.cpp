// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/dynamic_pad.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::dynamic_pad self;
constexpr tensor_type i64_2 = type_of(dtype::i64, {2}), i64_3 = type_of(dtype::i64, {3}),
                      f32_5x9 = type_of(dtype::f32, {5, 9});

static_assert(result_type(self, {f32_2x3, f32_scalar, i64_2, i64_2, i64_2}, {f32_5x9}) == f32_5x9);
static_assert(broken_by_constants(self, {f32_2x3, f32_scalar, i64_2, i64_2, i64_2}, {f32_5x9},
                                  {{}, {}, {0, 1}, {2, 1}, {1, 2}})
                  .empty());

static_assert(broken_by(self, {token, f32_scalar, i64_2, i64_2, i64_2}, {f32_5x9}) == "dynamic_pad_i1");
static_assert(broken_by(self, {f32_2x3, f32_2x3, i64_2, i64_2, i64_2}, {f32_5x9}) == "dynamic_pad_i2");
static_assert(broken_by(self, {f32_2x3, f32_scalar, f32_2x3, i64_2, i64_2}, {f32_5x9}) == "dynamic_pad_i3");
static_assert(broken_by(self, {f32_2x3, f32_scalar, i64_2, i64_2x3, i64_2}, {f32_5x9}) == "dynamic_pad_i4");
static_assert(broken_by(self, {f32_2x3, f32_scalar, i64_2, i64_2, i32_scalar}, {f32_5x9}) == "dynamic_pad_i5");
static_assert(broken_by(self, {f32_2x3, f32_scalar, i64_2, i64_2, i64_2}) == "dynamic_pad_o1");
static_assert(broken_by(self, {f32_2x3, f64_scalar, i64_2, i64_2, i64_2}, {f32_5x9}) == "dynamic_pad_c1");
static_assert(broken_by(self, {f32_2x3, f32_scalar, i64_2, i64_2, i64_2}, {f64_2x3}) == "dynamic_pad_c1");
static_assert(broken_by(self, {f32_2x3, f32_scalar, i64_2, i64_3, i64_2}, {f32_5x9}) == "dynamic_pad_c2");
static_assert(broken_by_constants(self, {f32_2x3, f32_scalar, i64_2, i64_2, i64_2}, {f32_5x9},
                                  {{}, {}, {}, {}, {0, -1}}) == "dynamic_pad_c3");
static_assert(broken_by(self, {f32_2x3, f32_scalar, i64_2, i64_2, i64_2}, {f32_scalar}) == "dynamic_pad_c4");
static_assert(broken_by_constants(self, {f32_2x3, f32_scalar, i64_2, i64_2, i64_2}, {f32_5x9},
                                  {{}, {}, {0, 1}, {2, 1}, {1, 1}}) == "dynamic_pad_c4");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i32>({2, 3}, {1, 2, 3, 4, 5, 6});
  const value result = move(self,
                            {operand, scalar_of<i32>(0), tensor_of<i64>({2}, {0, 1}), tensor_of<i64>({2}, {2, 1}),
                             tensor_of<i64>({2}, {1, 2})},
                            type_of(dtype::i32, {5, 9}));
  CHECK(result.as<i32>() == std::vector<i32>{0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5,
                                             0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("padding that the type does not promise") {
  const auto padded = [](i64 high, i64 interior) {
    return move(self,
                {counting<i32>({2}), scalar_of<i32>(0), tensor_of<i64>({1}, {0}), tensor_of<i64>({1}, {high}),
                 tensor_of<i64>({1}, {interior})},
                type_of(dtype::i32, {4}));
  };
  CHECK(padded(2, 0).as<i32>() == std::vector<i32>{1, 2, 0, 0});
  CHECK(padded(0, 2).as<i32>() == std::vector<i32>{1, 0, 0, 2});
  CHECK_THROWS_AS(padded(1, 0), error);
  CHECK_THROWS_AS(padded(3, -1), error);
}

}  // namespace
}  // namespace tenon::test
