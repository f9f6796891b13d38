// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/sort/side_by_side_sort.hpp>

#include <tenon/kernels/sort/sort.hpp>
#include <tenon/ops/reduction/sort.hpp>

#include "kernels/alike.hpp"
#include "kernels/written_lanes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// Whether |a| + |b| < |c| + |d|, where b and d are of another operand.
template <class T, class U>
bool is_less(T a, T c, U b, U d) {
  return std::abs(double(a)) + std::abs(double(b)) < std::abs(double(c)) + std::abs(double(d));
}
template <class T, class U>
void compare_sums(const evaluation& e) {
  const T *const a = e.operand<T>(0), *const c = e.operand<T>(1);
  const U* const b = e.operand<U>(2);
  for (index_t k = 0; k < e.count; ++k)
    e.result<double>()[k] = std::abs(double(c[k])) - std::abs(double(a[k])) - std::abs(double(b[k]));
}
template <class U>
void compare_rest(const evaluation& e) {
  for (index_t k = 0; k < e.count; ++k)
    e.result<bool>()[k] = e.operand<double>(0)[k] + std::abs(double(e.operand<U>(1)[k])) > 0;
}

// It looks at operands 0 and `Second`. For one pair by itself there is no code: many are asked about at a time.
template <class T, class U, int Second>
surroundings by_sums() {
  surroundings around{[](int, const void* const*, void* const*) { throw "one pair by itself"; }, {}};
  constexpr dtype first = dtype_of<T>, second = dtype_of<U>;
  const auto lanes =
      std::make_shared<written_lanes>(std::initializer_list<dtype>{first, first, second, second, second, second});
  const int rest = lanes->apply(&compare_sums<T, U>, -1, first, dtype::f64, {~0, ~1, ~(2 * Second)});
  lanes->give({lanes->apply(&compare_rest<U>, -1, dtype::f64, dtype::i1, {rest, ~(2 * Second + 1)})});
  around.lanes = every_region(lanes);
  return around;
}

template <class T>
value drawn(const ints& shape, int below) {
  static unsigned state = 1;
  std::vector<T> elements{};
  for (index_t i = 0; i < shape.product(); ++i) {
    state = state * 1664525u + 1013904223u;
    elements.push_back(T(int(state >> 8) % below - below / 2));
  }
  return tensor_of<T>(shape, elements);
}

// Every row by itself, by the standard library.
template <class T, class U, int Second>
void check(const ints& shape, int axis, const std::vector<value>& operands) {
  std::vector<tensor_type> types{};
  for (const value& each : operands) types.push_back(each.type);
  const std::vector<value> results =
      evaluate_by_kernel(&sort_kernel<ops::sort>, ops::sort{axis, true}, operands, types, by_sums<T, U, Second>());
  const std::vector<T> first = operands[0].as<T>();
  const std::vector<U> second = operands[Second].as<U>();
  const index_t row = shape[axis], stride = strides_of(shape)[axis];
  for (index_t start = 0; start < shape.product(); ++start) {
    if (start / stride % row != 0) continue;
    std::vector<std::size_t> order{};
    for (index_t k = 0; k < row; ++k) order.push_back(std::size_t(start + k * stride));
    const auto comes_first = [&](std::size_t i, std::size_t j) {
      return is_less(first[i], first[j], second[i], second[j]);
    };
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return comes_first(i, j) || (!comes_first(j, i) && i < j); });
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::size_t bytes = std::size_t(storage_bytes(types[i].element));
      for (index_t k = 0; k < row; ++k)
        REQUIRE(std::memcmp(results[i].bytes.data() + std::size_t(start + k * stride) * bytes,
                            operands[i].bytes.data() + order[std::size_t(k)] * bytes, bytes) == 0);
    }
  }
}

}  // namespace

TEST_CASE("one operand, of every length") {
  for (index_t length = 0; length <= 70; ++length) {
    const ints shape{length};
    check<f32, f32, 0>(shape, 0, {drawn<f32>(shape, 20)});
    check<i8, i8, 0>(shape, 0, {drawn<i8>(shape, 100)});
  }
  for (const index_t length : {255, 256, 257, 511, 512, 513, 1000, 65536}) {
    const ints shape{length};
    check<f32, f32, 0>(shape, 0, {drawn<f32>(shape, 20)});
    check<f64, f64, 0>(shape, 0, {drawn<f64>(shape, 1 << 20)});
  }
}

TEST_CASE("many rows, along any dimension") {
  for (const ints& shape :
       {ints{3, 5, 7}, ints{600, 1, 2}, ints{2, 600, 3}, ints{40, 30, 20}, ints{1, 1, 1}, ints{2, 0, 3}})
    for (int axis = 0; axis < 3; ++axis) {
      check<i32, i32, 0>(shape, axis, {drawn<i32>(shape, 10)});
      check<i32, i16, 1>(shape, axis, {drawn<i32>(shape, 10), drawn<i16>(shape, 10), drawn<f64>(shape, 1000)});
    }
}

TEST_CASE("several operands, more of which are compared than move") {
  for (const index_t length : {1, 2, 33, 257, 1000, 65536}) {
    const ints shape{length};
    check<f32, i32, 1>(shape, 0, {drawn<f32>(shape, 20), drawn<i32>(shape, 20)});
    check<f64, f64, 2>(shape, 0, {drawn<f64>(shape, 20), drawn<i8>(shape, 20), drawn<f64>(shape, 20)});
    check<f64, i8, 1>(shape, 0, {drawn<f64>(shape, 20), drawn<i8>(shape, 20), drawn<f64>(shape, 20)});
  }
}

TEST_CASE("more operands than there is room for are compared pair by pair") {
  const ints shape{50};
  const std::vector<value> operands(33, counting<i32>(shape));
  const std::vector<tensor_type> types(33, operands[0].type);
  surroundings around = by_sums<i32, i32, 1>();
  around.regions = binary<i32>([](i32 a, i32 b) { return a > b; });
  const std::vector<value> results = evaluate_by_kernel(&sort_kernel<ops::sort>, ops::sort{0}, operands, types, around);
  std::vector<i32> wanted(50, 0);
  std::iota(wanted.rbegin(), wanted.rend(), 1);
  for (const value& each : results) CHECK(each.as<i32>() == wanted);
}
