// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/sort/sort.hpp>

#include <tenon/kernels/elementwise.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/elementwise/subtract.hpp>
#include <tenon/ops/reduction/sort.hpp>

#include "kernels/alike.hpp"
#include "kernels/written_lanes.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// x < y or x > y, of operand `Key`; alone: asked by nobody else than the sort itself.
template <class T>
surroundings comparing_numbers(comparison_direction direction, int key) {
  surroundings around;
  around.regions = [=](int, const void* const* arguments, void* const* results) {
    const T a = *static_cast<const T*>(arguments[2 * key]), b = *static_cast<const T*>(arguments[2 * key + 1]);
    *static_cast<bool*>(results[0]) = ops::compare{direction}.element(a, b);
  };
  constexpr dtype element = dtype_of<T>;
  const auto lanes = std::make_shared<written_lanes>(std::initializer_list<dtype>{element, element, element, element});
  lanes->give({lanes->template apply<ops::compare, T, bool>({~(2 * key), ~(2 * key + 1)}, ops::compare{direction})});
  around.lanes = every_region(lanes);
  return around;
}

// x - y < 0, which is no comparison of keys.
template <class T>
surroundings by_difference() {
  surroundings around = comparing_numbers<T>(comparison_direction::LT, 0);
  const auto lanes = std::make_shared<written_lanes>(std::initializer_list<dtype>{dtype_of<T>, dtype_of<T>});
  const int difference = lanes->template apply<ops::subtract, T>({~0, ~1});
  lanes->give({lanes->template apply<ops::compare, T, bool>({difference, lanes->repeated(T(0))},
                                                            ops::compare{comparison_direction::LT})});
  around.lanes = every_region(lanes);
  return around;
}

// Few different numbers, so that some are equal; zeros of both signs among floats.
template <class T>
value drawn(const ints& shape) {
  static unsigned state = 1;
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i) {
    state = state * 1664525u + 1013904223u;
    const int number = int(state >> 16) % 41 - (std::is_signed_v<T> ? 20 : 0);
    elements.push_back(std::is_floating_point_v<T> && number == 1 ? T(-0.0) : T(number));
  }
  return tensor_of<T>(shape, elements);
}

template <class T>
void check_matrix() {
  const ints shapes[] = {{0},   {1},   {7},     {9},     {63},      {64},       {65},    {127},
                         {129}, {300}, {2, 70}, {70, 2}, {3, 5, 7}, {2, 64, 3}, {600, 2}};
  for (const ints& shape : shapes)
    for (int axis = 0; axis < shape.size; ++axis) {
      const value x = drawn<T>(shape), y = drawn<T>(shape), places = counting<i16>(shape);
      const ops::sort op{axis};
      const auto check = [&](const std::vector<value>& operands, const surroundings& around) {
        std::vector<tensor_type> types;
        for (const value& each : operands) types.push_back(each.type);
        evaluate_alike<T>(&sort_kernel<ops::sort>, op, operands, types, around);
      };
      for (const comparison_direction direction : {comparison_direction::LT, comparison_direction::GT}) {
        check({x}, comparing_numbers<T>(direction, 0));
        check({x, places}, comparing_numbers<T>(direction, 0));
        check({x, y, places}, comparing_numbers<T>(direction, 1));
        surroundings pair_by_pair = comparing_numbers<T>(direction, 0);
        pair_by_pair.lanes = nullptr;
        check({x, y}, pair_by_pair);
      }
      if (std::is_signed_v<T>) {
        check({x}, by_difference<T>());
        check({x, places}, by_difference<T>());
      }
    }
}

}  // namespace

TEST_CASE("sort: by numbers of every width, along every axis, as the op says it") {
  check_matrix<f32>();
  check_matrix<f64>();
  check_matrix<i8>();
  check_matrix<i16>();
  check_matrix<i32>();
  check_matrix<i64>();
  check_matrix<ui8>();
  check_matrix<ui64>();
}

TEST_CASE("sort: every length is sorted, and equal elements keep their order") {
  const surroundings around{binary<i32>([](i32 a, i32 b) { return a < b; }),
                            {{{scalars<dtype::i32, dtype::i32, dtype::i8, dtype::i8>, 4}, {scalars<dtype::i1>, 1}}}};
  unsigned state = 1;
  for (index_t length = 0; length <= 70; ++length) {
    std::vector<i32> keys;
    std::vector<i8> positions;
    for (index_t i = 0; i < length; ++i) {
      state = state * 1664525u + 1013904223u;
      keys.push_back(i32(state >> 24) % (1 + i32(length) / 3));
      positions.push_back(i8(i));
    }
    const std::vector<value> results =
        evaluate_alike<i32>(&sort_kernel<ops::sort>, ops::sort{-1, true},
                            {tensor_of<i32>({length}, keys), tensor_of<i8>({length}, positions)},
                            {type_of(dtype::i32, {length}), type_of(dtype::i8, {length})}, around);
    std::sort(positions.begin(), positions.end(), [&](i8 a, i8 b) {
      const i32 x = keys[std::size_t(a)], y = keys[std::size_t(b)];
      return x < y || (x == y && a < b);
    });
    std::sort(keys.begin(), keys.end());
    REQUIRE(results[0].as<i32>() == keys);
    REQUIRE(results[1].as<i8>() == positions);
  }
}

TEST_CASE("sort: along a middle dimension") {
  const surroundings around = {binary<f64>([](f64 a, f64 b) { return a < b; }), {comparing<dtype::f64>}};
  const value x = tensor_of<f64>({2, 3, 2}, {5, 1, 3, 2, 4, 0, 7, 9, 8, 8, 6, 7});
  const std::vector<f64> sorted{3, 0, 4, 1, 5, 2, 6, 7, 7, 8, 8, 9};
  CHECK(evaluate_alike<f64>(&sort_kernel<ops::sort>, ops::sort{1}, {x}, {x.type}, around)[0].as<f64>() == sorted);
}

TEST_CASE("sort: a comparator that is no order still permutes") {
  for (const bool answer : {false, true}) {
    const surroundings around = {binary<i32>([=](i32, i32) { return answer; }), {comparing<dtype::i32>}};
    // Which way they are permuted, an op does not say.
    std::vector<i32> sorted = evaluate_by_kernel(&sort_kernel<ops::sort>, ops::sort{0}, {counting<i32>({50})},
                                                 {type_of(dtype::i32, {50})}, around)[0]
                                  .as<i32>();
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == counting<i32>({50}).as<i32>());
  }
}
