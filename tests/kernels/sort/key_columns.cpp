// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/sort/key_columns.hpp>

#include <kernels/sort/comparator.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::comparators;

namespace {

// The columns of keys that a comparator compares, over tensors of one shape.
struct columns {
  comparator compares;
  lane_function lanes;
  lane_program function;
  compared_keys keys;
  std::vector<tensor_type> types;
  std::vector<const void*> operands;
  evaluation e;

  explicit columns(dtype first = dtype::f32, dtype second = dtype::f32) : compares(first, second) {}
  template <class T>
  void add(const std::vector<T>& values) {
    types.push_back(type_of(dtype_of<T>, {index_t(values.size())}));
    operands.push_back(values.data());
  }
  template <class Write>
  key_columns look(Write write, index_t stride = 1) {
    REQUIRE(compares.read(write(compares), keys));
    lanes = compares.lanes.function();
    function = keys.functions(*lanes.program);
    REQUIRE(function.fits);
    e.operands = {operands.data(), int(operands.size())};
    e.operand_types = {types.data(), int(types.size())};
    return key_columns(e, keys, lanes, function, stride);
  }
};

template <class T>
int compared(comparator& of, direction by, int operand, comparison_type type = comparison_type::FLOAT) {
  return of.compare<T>(by, comparator::argument(2 * operand), comparator::argument(2 * operand + 1), type);
}

// Whether keys stand in the order of numbers that ascend, but for those that are the same.
template <class Key>
bool ascend(const std::vector<Key>& keys) {
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[i] <= keys[i - 1]) return false;
  return true;
}

constexpr float infinite = std::numeric_limits<float>::infinity(), no_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("floats have the order of their numbers, and both zeros are one") {
  const std::vector<float> values{-infinite, -3e38f, -1.5f, -1e-45f, 0.0f, 1e-45f, 2.0f, infinite, -0.0f};
  columns of;
  of.add(values);
  key_columns ascending = of.look([](comparator& c) { return compared<f32>(c, direction::LT, 0); });
  CHECK(ascending.is_supported());
  CHECK(ascending.groups() == 1);
  CHECK(ascending.bits() == 32);
  CHECK(ascending.may_be_unordered());
  std::vector<std::uint32_t> keys(9);
  CHECK(ascending.compute(0, 0, 0, nullptr, 9, keys.data()));
  CHECK(keys[8] == keys[4]);
  keys.pop_back();
  CHECK(ascend(keys));

  columns turned;
  turned.add(values);
  key_columns descending = turned.look([](comparator& c) { return compared<f32>(c, direction::GT, 0); });
  std::vector<std::uint32_t> down(9);
  CHECK(descending.compute(0, 0, 0, nullptr, 9, down.data()));
  for (std::size_t i = 0; i < 8; ++i) CHECK(down[i] == ~keys[i]);
}

TEST_CASE("NaN has no order, but in total order") {
  const std::vector<float> values{-no_number, -1.0f, -0.0f, 0.0f, 1.0f, no_number};
  columns of, total;
  of.add(values);
  key_columns partly = of.look([](comparator& c) { return compared<f32>(c, direction::LT, 0); });
  std::vector<std::uint32_t> keys(6);
  CHECK(!partly.compute(0, 0, 0, nullptr, 6, keys.data()));
  CHECK(partly.compute(0, 0, 1, nullptr, 4, keys.data()));
  CHECK(!partly.compute(0, 0, 5, nullptr, 1, keys.data()));

  std::vector<float> signed_nan = values;
  signed_nan[0] = std::copysign(no_number, -1.0f), signed_nan[5] = std::copysign(no_number, 1.0f);
  total.add(signed_nan);
  key_columns all =
      total.look([](comparator& c) { return compared<f32>(c, direction::LT, 0, comparison_type::TOTALORDER); });
  CHECK(!all.may_be_unordered());
  CHECK(all.compute(0, 0, 0, nullptr, 6, keys.data()));
  CHECK(ascend(keys));
}

TEST_CASE("floats of sixteen bits are looked at as f32") {
  const std::vector<bf16> values{bf16(-2.0f), bf16(-0.0f), bf16(1.0f), bf16(no_number)};
  columns of(dtype::bf16, dtype::bf16);
  of.add(values);
  key_columns narrow = of.look([](comparator& c) { return compared<bf16>(c, direction::LT, 0); });
  CHECK(narrow.bits() == 32);
  std::vector<std::uint32_t> keys(3);
  CHECK(narrow.compute(0, 0, 0, nullptr, 3, keys.data()));
  CHECK(ascend(keys));
  CHECK(!narrow.compute(0, 0, 1, nullptr, 3, keys.data()));
}

// x ascends, and where it is the same, y descends.
template <class X, class Y>
int two_keys(comparator& c) {
  const int same = compared<X>(c, direction::EQ, 0), less = compared<X>(c, direction::LT, 0),
            more = compared<Y>(c, direction::GT, 1);
  return c.combine<ops::or_>(less, c.combine<ops::and_>(same, more));
}

TEST_CASE("keys that fit together are one number, the one that decides first above") {
  const std::vector<std::int8_t> x{-128, -1, -1, 127};
  const std::vector<std::uint16_t> y{7, 9, 8, 65535};
  columns of(dtype::i8, dtype::ui16);
  of.add(x);
  of.add(y);
  key_columns both = of.look([](comparator& c) { return two_keys<i8, ui16>(c); });
  CHECK(both.is_supported());
  CHECK(both.groups() == 1);
  CHECK(both.bits() == 24);
  CHECK(!both.may_be_unordered());
  std::vector<std::uint32_t> keys(4);
  CHECK(both.compute(0, 0, 0, nullptr, 4, keys.data()));
  CHECK(keys == std::vector<std::uint32_t>{0x00FFF8, 0x7FFFF6, 0x7FFFF7, 0xFF0000});
}

TEST_CASE("of keys that do not fit together, the last ones are the first group") {
  const std::vector<std::int32_t> x{5, -5};
  const std::vector<std::int64_t> y{1, std::numeric_limits<std::int64_t>::min()};
  columns of(dtype::i32, dtype::i64);
  of.add(x);
  of.add(y);
  key_columns both = of.look([](comparator& c) { return two_keys<i32, i64>(c); });
  CHECK(both.groups() == 2);
  CHECK(both.bits() == 64);
  std::vector<std::uint64_t> keys(2);
  CHECK(both.compute(0, 0, 0, nullptr, 2, keys.data()));
  CHECK(keys == std::vector<std::uint64_t>{0x7FFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFF});
  CHECK(both.compute(1, 0, 0, nullptr, 2, keys.data()));
  CHECK(keys == std::vector<std::uint64_t>{0x80000005, 0x7FFFFFFB});
}

TEST_CASE("elements of a row are found by strides, or by their numbers") {
  std::vector<std::int32_t> values(12);
  for (int i = 0; i < 12; ++i) values[std::size_t(i)] = 10 * i;
  columns of(dtype::i32, dtype::i32);
  of.add(values);
  // Rows of four, three elements apart; the second one begins at 1.
  key_columns rows = of.look([](comparator& c) { return compared<i32>(c, direction::LT, 0); }, 3);
  std::vector<std::uint32_t> keys(3);
  const auto numbers = [&] {
    std::vector<int> result;
    for (const std::uint32_t each : keys) result.push_back(int(each ^ 0x80000000u));
    return result;
  };
  CHECK(rows.compute(0, 1, 1, nullptr, 3, keys.data()));
  CHECK(numbers() == std::vector<int>{40, 70, 100});
  const index_t places[] = {3, 0, 2};
  CHECK(rows.compute(0, 1, 0, places, 3, keys.data()));
  CHECK(numbers() == std::vector<int>{100, 10, 70});
}

TEST_CASE("a key may be computed of several operands, and others are not read") {
  const std::vector<float> x{1, 5, 2}, y{4, 1, 2};
  columns of;
  of.add(x);
  of.add(y);
  of.operands.push_back(nullptr);
  of.types.push_back(type_of(dtype::f32, {3}));
  key_columns difference = of.look([](comparator& c) {
    const int left = c.subtract(comparator::argument(0), comparator::argument(2)),
              right = c.subtract(comparator::argument(1), comparator::argument(3));
    return c.compare(direction::LT, left, right);
  });
  CHECK(difference.is_supported());
  std::vector<std::uint32_t> keys(3);
  CHECK(difference.compute(0, 0, 0, nullptr, 3, keys.data()));
  CHECK(keys[0] < keys[2]);
  CHECK(keys[2] < keys[1]);
}

TEST_CASE("element types without an order as integers are not served") {
  const std::vector<f8E4M3FN> values(2);
  columns of(dtype::f8E4M3FN, dtype::f8E4M3FN);
  of.add(values);
  CHECK(!of.look([](comparator& c) { return compared<f8E4M3FN>(c, direction::LT, 0); }).is_supported());
}
