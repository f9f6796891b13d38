// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/plan/access.hpp>

#include <tenon/indexing/builders.hpp>

#include <doctest/doctest.h>

#include <random>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::planning;
using planning::walk_composer;

namespace {

index_t at(const strided_access& walk, index_t number) {
  index_t position = walk.base;
  for (int d = walk.sizes.size - 1; d >= 0; --d) {
    position += number % walk.sizes.at[d] * walk.strides.at[d];
    number /= walk.sizes.at[d];
  }
  return position;
}

// Rows of 12 elements, turned and cut into pieces of 3: still a walk.
constexpr strided_access turned{{12, 5}, {1, 12}, 0};
static_assert([] {
  const walk_composer composed(turned, strided_access{{5, 4, 3}, {12, 3, 1}, 0});
  return composed.fits() && merged(composed.result()).sizes == ints{12, 5};
}());
static_assert([] {
  const walk_composer composed(strided_access{{20, 3}, {3, 1}, 0}, strided_access{{6, 10}, {1, 6}, 0});
  return !composed.fits();
}());
static_assert([] {
  walk_composer composed(strided_access{{2, 10}, {10, 1}, 0}, strided_access{{6, 10}, {20, 2}, 5});
  return composed.move(10, 4) == 20 && composed.fits() && composed.result().base == 5;
}());
static_assert([] {
  walk_composer composed(strided_access{{2, 10}, {10, 1}, 0}, strided_access{{6, 10}, {20, 2}, 5});
  composed.move(10, 5);
  return !composed.fits();
}());
static_assert(repeats_of({{2, 3, 4}, {5, 0, 0}, 0}) == 12);
static_assert(repeats_of({{2, 3}, {0, 1}, 0}) == 1);
static_assert(period_of({{2, 3}, {0, 1}, 0}) == 3);

static_assert([] {
  strided_access access;
  return access_through(indexing::transpose_map({4, 3}, {1, 0}), {3, 4}, {4, 3}, access) &&
         access.strides == ints{1, 4};
}());
static_assert([] {
  strided_access access;
  index_t strides[16]{};
  const auto map = indexing::dynamic_slice_map({2, 3}, {5, 7});
  return !access_through(map, {5, 7}, {2, 3}, access) && access_through(map, {5, 7}, {2, 3}, access, strides) &&
         strides[0] == 7 && strides[1] == 1;
}());

TEST_CASE("one walk after another visits what both do in turn") {
  std::mt19937 random(1);
  const auto pick = [&](int below) { return index_t(random() % unsigned(below)); };
  // Transposes, slices, reversals and broadcasts of a tensor of so many elements.
  const auto movement = [&](index_t count, strided_access& walk) {
    ints shape;
    for (index_t left = count, divisor = 2; left > 1 && shape.size < 3;) {
      if (left % divisor == 0 && pick(3) > 0)
        shape.push(divisor), left /= divisor;
      else
        ++divisor;
      if (divisor > left || shape.size == 3) {
        if (left > 1) shape.push(left);
        break;
      }
    }
    const ints strides = strides_of(shape);
    walk = {};
    for (int d = 0; d < shape.size; ++d) {
      const index_t step = 1 + pick(2), first = pick(2) < shape.at[d] ? pick(2) % shape.at[d] : 0;
      const index_t size = (shape.at[d] - first + step - 1) / step;
      const bool back = pick(4) == 0;
      const int place = int(pick(walk.sizes.size + 1));
      ints sizes, steps;
      for (int e = 0; e <= walk.sizes.size; ++e) {
        if (e == place) sizes.push(size), steps.push((back ? -step : step) * strides.at[d]);
        if (e < walk.sizes.size) sizes.push(walk.sizes.at[e]), steps.push(walk.strides.at[e]);
      }
      walk.sizes = sizes, walk.strides = steps;
      walk.base += (back ? first + (size - 1) * step : first) * strides.at[d];
    }
    if (pick(4) == 0) walk.sizes.push(2), walk.strides.push(0);
  };
  int composed = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    strided_access first, second;
    movement(1 + pick(72), second);
    movement(second.sizes.product(), first);
    const walk_composer both(merged(first), merged(second));
    if (!both.fits()) continue;
    ++composed;
    const index_t count = first.sizes.product();
    REQUIRE(both.result().sizes.product() == count);
    bool same = true;
    for (index_t i = 0; i < count; ++i) same = same && at(both.result(), i) == at(second, at(first, i));
    REQUIRE(same);
  }
  CHECK(composed > 8000);
}

}  // namespace
