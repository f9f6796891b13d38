// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/ragged_all_to_all.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::ragged_all_to_all;
constexpr tensor_type data = type_of(dtype::f32, {3, 2}), room = type_of(dtype::f32, {4, 2}),
                      sizes = type_of(dtype::i32, {2});
constexpr op self{{{0, 1}}};

static_assert(result_type(self, {data, room, sizes, sizes, sizes, sizes}) == room);

static_assert(broken_by(op{{{0, 0}}}, {data, room, sizes, sizes, sizes, sizes}) == "ragged_all_to_all_c1");
static_assert(broken_on({3, 1}, self, {data, room, sizes, sizes, sizes, sizes}) == "ragged_all_to_all_c2");
static_assert(broken_by(op{{{0, 2}}}, {data, room, sizes, sizes, sizes, sizes}) == "ragged_all_to_all_c3");
static_assert(broken_by(self, {data, room, sizes, sizes, sizes}) == "ragged_all_to_all_c4");
static_assert(broken_by(self, {data, sizes, sizes, sizes, sizes, sizes}) == "ragged_all_to_all_c5");
static_assert(broken_by(self, {data, room, sizes, sizes, sizes, data}) == "ragged_all_to_all_c6");
static_assert(broken_by(op{{{0}}}, {data, room, sizes, sizes, sizes, sizes}) == "ragged_all_to_all_c7");
static_assert(broken_by(self, {data, room, sizes, sizes, sizes, sizes}, {data}) == "ragged_all_to_all_c8");

// A process by itself sends rows to itself.
std::vector<f32> sent(i64 from, i64 count, i64 to) {
  const auto one = [](i64 number) { return tensor_of<i64>({1, 1}, {number}); };
  return move(op{{{0}}},
              {counting<f32>({3, 2}), tensor_of<f32>({4, 2}, {0, 0, 0, 0, 0, 0, 0, 0}), one(from), one(count), one(to),
               one(count)},
              room)
      .as<f32>();
}

TEST_CASE("rows go to their places, within bounds") {
  CHECK(sent(1, 2, 2) == std::vector<f32>{0, 0, 0, 0, 3, 4, 5, 6});
  CHECK(sent(3, 0, 4) == std::vector<f32>(8, 0));
  CHECK_THROWS_AS(sent(2, 2, 0), error);
  CHECK_THROWS_AS(sent(0, 2, 3), error);
  CHECK_THROWS_AS(sent(-1, 1, 0), error);
  CHECK_THROWS_AS(sent(0, -1, 0), error);
  CHECK_THROWS_AS(sent(0, 1, -1), error);
}

}  // namespace
}  // namespace tenon::test
