// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/strided.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::core;

// The offsets under the strides must be those of the sum of index times stride, for every index in row-major order.
constexpr index_t agreeing(const ints& shape, const ints& first, const ints& second) {
  ints index = ints::filled(shape.size, 0);
  index_t count = 0;
  bool agrees = true;
  for_each_offset(
      shape,
      [&](index_t at_first, index_t at_second) {
        index_t expected_first = 0, expected_second = 0;
        for (int axis = 0; axis < shape.size; ++axis) {
          expected_first += index[axis] * first[axis];
          expected_second += index[axis] * second[axis];
        }
        agrees = agrees && at_first == expected_first && at_second == expected_second;
        advance(shape, index);
        ++count;
      },
      first, second);
  return agrees ? count : -1;
}

static_assert(agreeing({}, {}, {}) == 1);
static_assert(agreeing({5}, {1}, {0}) == 5);
static_assert(agreeing({2, 3, 4}, {12, 4, 1}, {1, 2, 6}) == 24);
static_assert(agreeing({3, 4}, {-4, -1}, {0, 0}) == 12);
static_assert(agreeing({3, 0, 2}, {1, 1, 1}, {1, 1, 1}) == 0);
static_assert(agreeing({1, 1, 3, 1}, {9, 9, 2, 9}, {0, 1, 0, 1}) == 3);

}  // namespace

TEST_CASE("a transposed walk visits every element") {
  int seen[6]{};
  for_each_offset({3, 2}, [&](index_t at) { ++seen[at]; }, ints{1, 3});
  for (int count : seen) CHECK(count == 1);
}
