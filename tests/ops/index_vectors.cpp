// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/index_vectors.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace tenon::test {

namespace {

static_assert(ops::combine_shapes({5, 6}, {2, 3}, {1, 3}) == ints{5, 2, 6, 3});
static_assert(ops::combine_shapes({5, 6}, {}, {}) == ints{5, 6});
static_assert(ops::combine_shapes({}, {2, 3}, {0, 1}) == ints{2, 3});

constexpr ops::window_numbers numbers{{2}, {1}, {0}, {1}, {2}, 0};
static_assert(numbers.window_sizes({4, 1, 7}) == ints{7});
static_assert(ops::window_strides(numbers, 3, {3, 4, 7}) == ints{0, 0, 1});
static_assert(ops::window_shape(numbers, 3, {3, 4, 7}) == ints{1, 1, 7});

TEST_CASE("every index vector names a window") {
  // one component along dimension 0, vectors over dimensions 1 and 2, of which 1 is a batching dimension
  const std::int32_t indices[] = {10, -11, 12, 13, 14, 15};
  std::vector<ints> starts;
  std::vector<index_t> bases;
  const ints windows{3, 2, 7};
  ops::for_each_window({{2}, {1}, {0}, {1}, {2}, 0}, {3, 1, 7}, type_of(dtype::i32, {1, 3, 2}), indices, windows,
                       [&](const ints& start, index_t base) {
                         starts.push_back(start);
                         bases.push_back(base);
                       });
  CHECK(starts == std::vector<ints>{{0, 0, 10}, {0, 0, -11}, {1, 0, 12}, {1, 0, 13}, {2, 0, 14}, {2, 0, 15}});
  CHECK(bases == std::vector<index_t>{0, 7, 14, 21, 28, 35});
}

}  // namespace
}  // namespace tenon::test
