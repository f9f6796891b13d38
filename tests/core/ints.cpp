// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/ints.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon;

static_assert(ints{}.empty() && ints{}.size == 0 && ints{}.product() == 1);
static_assert(ints{2, 3, 5}.size == 3 && ints{2, 3, 5}[2] == 5);

// Reading and writing outside is harmless.
static_assert(ints{2, 3}[2] == 0 && ints{2, 3}[-1] == 0 && ints{2, 3}[INT64_MAX] == 0);
static_assert([] {
  ints values{2, 3};
  values.set(2, 7);
  values.set(-1, 7);
  values.set(1, 7);
  return values == ints{2, 7};
}());

// More than max_rank values are counted, so that no shorter list equals the longer one.
constexpr ints nine = ints::range(9);
static_assert(nine.size == max_rank && nine.dropped == 1);
static_assert(!(nine == ints::range(8)) && nine == ints::range(8) + ints{8});

static_assert(ints::filled(3, -1) == ints{-1, -1, -1});
static_assert(ints::range(0) == ints{} && ints::range(3) == ints{0, 1, 2});

static_assert(ints{4, 5, 6}.find(6) == 2 && ints{4, 5, 6}.find(7) == -1 && ints{4}.contains(4) && !ints{}.contains(0));
static_assert(ints{0, 2}.within(0, 3) && !ints{0, 3}.within(0, 3) && !ints{-1}.within(0, 3) && ints{}.within(0, 0));
static_assert(ints{3, 1, 2}.unique() && !ints{3, 1, 3}.unique() && ints{}.unique());
static_assert(ints{1, 1, 2}.sorted() && !ints{2, 1}.sorted() && ints{}.sorted());
static_assert(ints{1, 2}.positive() && !ints{1, 0}.positive() && !ints{-1}.positive());
static_assert(ints{7, 8, 9}.without({1}) == ints{7, 9} && ints{7, 8}.without({5}) == ints{7, 8});
static_assert(ints{7, 8, 9}.select({2, 0}) == ints{9, 7} && ints{7}.select({3}) == ints{0});

static_assert(ints{2, 3, 4}.product() == 24 && ints{2, 0, INT64_MAX, INT64_MAX}.product() == 0);
static_assert(ints{INT64_MAX, 2}.product() == INT64_MAX && ints{1 << 30, 1 << 30, 1 << 30}.product() == INT64_MAX);

static_assert(strides_of({2, 3, 4}) == ints{12, 4, 1} && strides_of({}) == ints{});
static_assert(strides_of({2, 0, 4}) == ints{4, 4, 1});
// A shape of more than 2^63 elements has no strides that could be followed.
static_assert(strides_of({4, INT64_MAX, 4}) == ints{0, 0, 0});

static_assert(offset_of({2, 3, 4}, {1, 2, 3}) == 23 && offset_of({}, {}) == 0);

static_assert([] {
  ints index{0, 2};
  return advance({2, 3}, index) && index == ints{1, 0} && advance({2, 3}, index) && advance({2, 3}, index) &&
         !advance({2, 3}, index) && index == ints{0, 0};
}());

constexpr index_t visited(const ints& shape) {
  index_t count = 0;
  bool in_order = true;
  for_each_index(shape, [&](const ints& index) { in_order = in_order && offset_of(shape, index) == count++; });
  return in_order ? count : -1;
}
static_assert(visited({}) == 1 && visited({3}) == 3 && visited({2, 3, 4}) == 24 && visited({2, 0, 4}) == 0);

}  // namespace

TEST_CASE("loops over lists see the values in order") {
  index_t sum = 0, weight = 1;
  for (index_t value : ints{3, 4, 5}) sum += weight++ * value;
  CHECK(sum == 3 + 8 + 15);
}
