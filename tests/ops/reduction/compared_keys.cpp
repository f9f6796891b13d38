// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/compared_keys.hpp>

#include <tenon/kernels/table.hpp>

#include <doctest/doctest.h>

using namespace tenon;

namespace {

using location = prepared_body::place;
using direction = comparison_direction;

// A comparator put together step by step. Arguments 0 and 1 are the values of one operand, 2 and 3 of the next.
struct comparator {
  prepared_body body;
  index_t attributes[prepared_body::most_steps][8]{};
  int written = 0;

  comparator() { body.begin(nullptr); }

  static location argument(int i) { return {location::kind::argument, i, 4}; }
  template <class Op, dtype Element, dtype Result>
  location apply(const Op& op, location a, location b, location to) {
    table<index_t> words{attributes[written], 0, 8};
    write_attributes(words, op);
    prepared_body::step step{kernel_of<Op, Element, Result>(), attributes[written++], 2, {a, b}, to};
    step.word_count = words.size;
    step.kind = kind_of_op<Op>;
    step.reads = Element;
    REQUIRE(body.add(step));
    return to;
  }
  location compare(direction by, location a, location b, comparison_type type = comparison_type::FLOAT) {
    return apply<ops::compare, dtype::f32, dtype::i1>({by, type}, a, b, body.own(1));
  }
  template <class Op>
  location combine(location a, location b) {
    return apply<Op, dtype::i1, dtype::i1>({}, a, b, body.own(1));
  }
  location subtract(location a, location b) {
    return apply<ops::subtract, dtype::f32, dtype::f32>({}, a, b, body.own(4));
  }
  // Whether it compares keys, given the value that it returns.
  bool read(location returned, compared_keys& keys) {
    REQUIRE(body.add(prepared_body::copy{returned, {location::kind::result, 0, 1}}));
    REQUIRE(body.end());
    return keys.read(body);
  }
};

}  // namespace

TEST_CASE("one comparison is one key") {
  comparator ascending, descending, turned, total;
  compared_keys keys;
  const location a = comparator::argument(0), b = comparator::argument(1);
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
  const location x = comparator::argument(0), x_other = comparator::argument(1);
  const location y = comparator::argument(2), y_other = comparator::argument(3);
  const location second = two.compare(direction::GT, y, y_other);
  const location same = two.compare(direction::EQ, x, x_other);
  const location first = two.compare(direction::LT, x, x_other);
  const location both = two.combine<ops::and_>(same, second);
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
  const location x = comparator::argument(0), x_other = comparator::argument(1);
  const location y = comparator::argument(2), y_other = comparator::argument(3);
  compared_keys keys;
  const location left = function.subtract(x, y), right = function.subtract(x_other, y_other);
  REQUIRE(function.read(function.compare(direction::LT, left, right), keys));
  CHECK(keys.size() == 1);
  CHECK(keys[0].left == left);
  const location across = mixed.subtract(x, x_other), other = mixed.subtract(y, y_other);
  CHECK(!mixed.read(mixed.compare(direction::LT, across, other), keys));
  const location one = different.subtract(x, y), turned = different.subtract(y_other, x_other);
  CHECK(!different.read(different.compare(direction::LT, one, turned), keys));
}

TEST_CASE("what is no order has no keys") {
  comparator at_odds;
  const location x = comparator::argument(0), x_other = comparator::argument(1);
  const location y = comparator::argument(2), y_other = comparator::argument(3);
  // Each of two comparisons may decide alone.
  const location first = at_odds.compare(direction::LT, x, x_other);
  const location second = at_odds.compare(direction::LT, y, y_other);
  compared_keys keys;
  CHECK(!at_odds.read(at_odds.combine<ops::or_>(first, second), keys));
}
