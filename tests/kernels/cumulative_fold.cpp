// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/window_fold.hpp>

#include <tenon/core/strided.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/maximum.hpp>
#include <tenon/ops/elementwise/minimum.hpp>
#include <tenon/ops/elementwise/multiply.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;

namespace {

// Along dimension 1 of three.
ops::window_attributes windows(index_t size, index_t low, index_t high) {
  return {{1, size, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {{0, 0}, {low, high}, {0, 0}}};
}

// Place by place, as the specification has it.
template <class Body, class T>
std::vector<T> by_definition(const ops::window_attributes& window, const ints& shape, const std::vector<T>& from,
                             T initial) {
  std::vector<T> results;
  for_each_index(window.count(shape), [&](const ints& index) {
    T total = initial;
    for (index_t place = 0; place < window.dimensions[1]; ++place) {
      const index_t at = window.axis(shape, 1).position(index[1], place);
      total = combine_elements<Body, T>(
          total, at < 0 ? initial : from[std::size_t((index[0] * shape[1] + at) * shape[2] + index[2])]);
    }
    results.push_back(total);
  });
  return results;
}

template <class T>
std::vector<T> elements(index_t count) {
  std::vector<T> result;
  for (index_t i = 0; i < count; ++i) result.push_back(T(float(i * 37 % 23) * 0.375f - 3.0f));
  return result;
}

template <class Body, class T>
bool is_supported(const ops::window_attributes& window, const ints& shape, T initial) {
  return cumulative_fold<Body, T>(window, shape, nullptr, initial).is_supported();
}
template <class Body, class T>
void compare(const ops::window_attributes& window, const ints& shape, T initial) {
  const std::vector<T> from = elements<T>(shape.product());
  const cumulative_fold<Body, T> fold(window, shape, from.data(), initial);
  REQUIRE(fold.is_supported());
  const std::vector<T> wanted = by_definition<Body>(window, shape, from, initial);
  std::vector<T> got(wanted.size() + 1, T(77));
  fold.run(got.data());
  CHECK(got.back() == T(77));
  got.pop_back();
  CHECK(got == wanted);
}

}  // namespace

TEST_CASE("windows of tensors without elements") {
  for (const ints& shape : {ints{0, 13, 3}, ints{2, 13, 0}, ints{2, 0, 3}, ints{2, 0, 0}, ints{0, 0, 3}})
    for (const ops::window_attributes& window :
         {windows(13, 12, 0), windows(13, 0, 12), windows(13, 14, 0), windows(13, 0, 30), windows(20, 19, 4)}) {
      compare<ops::add, std::int32_t>(window, shape, 0);
      compare<ops::add, float>(window, shape, 0.0f);
    }
}

TEST_CASE("windows that begin or end together are combined as they are one by one") {
  for (const index_t before : {1, 2, 17})
    for (const index_t behind : {1, 3, 16, 37}) {
      const ints shape{before, 13, behind};
      // From the first element on; up to the last one; some windows see nothing, or everything; all see all.
      for (const ops::window_attributes& window :
           {windows(13, 12, 0), windows(13, 0, 12), windows(13, 14, 0), windows(13, 0, 15), windows(20, 19, 4),
            windows(20, 4, 19), windows(30, 17, 17), windows(15, 0, 2)}) {
        compare<ops::add, std::int32_t>(window, shape, 0);
        compare<ops::maximum, float>(window, shape, -1.5f);
      }
      // Sums of floats are rounded alike where the order of the places is kept.
      compare<ops::add, float>(windows(13, 12, 0), shape, 0.0f);
      compare<ops::multiply, double>(windows(13, 12, 0), shape, 1.0);
      compare<ops::minimum, bf16>(windows(13, 12, 0), shape, bf16(100.0f));
    }
}

TEST_CASE("other windows are left alone") {
  const ints shape{2, 13, 3};
  CHECK(is_supported<ops::add>(windows(13, 12, 0), shape, 0.0f));
  CHECK_FALSE(is_supported<ops::add>(windows(13, 6, 6), shape, 0.0f));
  CHECK_FALSE(is_supported<ops::add>(windows(9, 8, 0), shape, 0.0f));
  CHECK_FALSE(is_supported<ops::add>(windows(7, 6, 0), {2, 7, 3}, 0.0f));  // too short to be worth it
  CHECK_FALSE(is_supported<ops::add>(windows(14, -1, 20), shape, 0.0f));   // elements are cut off
  CHECK_FALSE(is_supported<ops::add>(windows(13, 12, 0), shape, 1.0f));    // counts as often as it stands for padding
  CHECK(is_supported<ops::maximum>(windows(13, 12, 0), shape, 1.0f));      // counts once
  ops::window_attributes two = windows(13, 12, 0);
  two.dimensions = {2, 13, 1};
  CHECK_FALSE(is_supported<ops::add>(two, shape, 0.0f));
  for (ints ops::window_attributes::* numbers :
       {&ops::window_attributes::strides, &ops::window_attributes::base_dilations,
        &ops::window_attributes::window_dilations}) {
    ops::window_attributes apart = windows(13, 30, 0);
    CHECK(is_supported<ops::add>(apart, shape, 0.0f));
    apart.*numbers = {1, 2, 1};
    CHECK_FALSE(is_supported<ops::add>(apart, shape, 0.0f));
  }
}
