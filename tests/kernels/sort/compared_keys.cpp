// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/sort/key_columns.hpp>

#include <kernels/sort/comparator.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::comparators;

TEST_CASE("one comparison is one key") {
  comparator ascending, descending, turned, total;
  compared_keys keys;
  const int a = comparator::argument(0), b = comparator::argument(1);
  REQUIRE(ascending.read(ascending.compare(direction::LT, a, b), keys));
  CHECK(keys.size() == 1);
  CHECK(keys[0].element == dtype::f32);
  CHECK(keys[0].left == a);
  CHECK(!keys[0].descends);
  CHECK(!keys[0].total);
  REQUIRE(descending.read(descending.compare(direction::GT, a, b), keys));
  CHECK(keys[0].descends);
  REQUIRE(turned.read(turned.compare(direction::GT, b, a), keys));
  CHECK(keys[0].left == a);
  CHECK(!keys[0].descends);
  REQUIRE(total.read(total.compare(direction::LT, a, b, comparison_type::TOTALORDER), keys));
  CHECK(keys[0].total);
}

TEST_CASE("the key that decides first comes first, however it is written") {
  // y descends where x is the same: (x < x') or (x == x' and y > y')
  comparator two;
  const int x = comparator::argument(0), x_other = comparator::argument(1);
  const int y = comparator::argument(2), y_other = comparator::argument(3);
  const int second = two.compare(direction::GT, y, y_other);
  const int same = two.compare(direction::EQ, x, x_other);
  const int first = two.compare(direction::LT, x, x_other);
  const int both = two.combine<ops::and_>(same, second);
  compared_keys keys;
  REQUIRE(two.read(two.combine<ops::or_>(first, both), keys));
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].left == x);
  CHECK(!keys[0].descends);
  CHECK(keys[1].left == y);
  CHECK(keys[1].descends);
}

TEST_CASE("a key is a function of one element, the same for both") {
  comparator function, mixed, different;
  const int x = comparator::argument(0), x_other = comparator::argument(1);
  const int y = comparator::argument(2), y_other = comparator::argument(3);
  compared_keys keys;
  const int left = function.subtract(x, y), right = function.subtract(x_other, y_other);
  REQUIRE(function.read(function.compare(direction::LT, left, right), keys));
  CHECK(keys.size() == 1);
  CHECK(keys[0].left == left);
  const int across = mixed.subtract(x, x_other), other = mixed.subtract(y, y_other);
  CHECK(!mixed.read(mixed.compare(direction::LT, across, other), keys));
  const int one = different.subtract(x, y), turned = different.subtract(y_other, x_other);
  CHECK(!different.read(different.compare(direction::LT, one, turned), keys));
}

TEST_CASE("what is no order has no keys") {
  comparator at_odds;
  const int x = comparator::argument(0), x_other = comparator::argument(1);
  const int y = comparator::argument(2), y_other = comparator::argument(3);
  // Each of two comparisons may decide alone.
  const int first = at_odds.compare(direction::LT, x, x_other);
  const int second = at_odds.compare(direction::LT, y, y_other);
  compared_keys keys;
  CHECK(!at_odds.read(at_odds.combine<ops::or_>(first, second), keys));
}
