// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/ragged_dot.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::test;

namespace {

using numbers = ragged_dot_dimension_numbers;

constexpr tensor_type f32_of(ints shape) { return type_of(dtype::f32, shape); }
constexpr tensor_type i64_of(ints shape) { return type_of(dtype::i64, shape); }

// [b, m, k] [g, b, k, n] -> [b, m, n], [b, m, k] [b, k, n] -> [g, b, m, n], [b, m, k] [b, k, n] -> [b, m, n]
constexpr ops::ragged_dot by_row{numbers{{0}, {1}, {2}, {2}, {1}, {0}}};
constexpr ops::ragged_dot by_sum{numbers{{0}, {0}, {2}, {1}, {2}, {}}};
constexpr ops::ragged_dot by_batch{numbers{{0}, {0}, {2}, {1}, {0}, {}}};
constexpr ops::ragged_dot plain{numbers{{}, {}, {1}, {1}, {0}, {0}}};

constexpr ops::ragged_dot with(numbers changed) { return {changed}; }

constexpr tensor_type lhs = f32_of({2, 11, 5}), rhs = f32_of({3, 2, 5, 7}), batched = f32_of({2, 5, 7});
constexpr tensor_type three = i64_of({3}), each_three = i64_of({2, 3});

// types
static_assert(result_type(by_row, {lhs, rhs, three}) == f32_of({2, 11, 7}));
static_assert(result_type(by_row, {lhs, rhs, each_three}) == f32_of({2, 11, 7}));
static_assert(result_type(by_sum, {lhs, batched, three}) == f32_of({3, 2, 11, 7}));
static_assert(result_type(by_sum, {lhs, batched, each_three}) == f32_of({3, 2, 11, 7}));
static_assert(result_type(by_batch, {lhs, batched, three}) == f32_of({2, 11, 7}));
static_assert(result_type(plain, {f32_of({11, 5}), f32_of({3, 5, 7}), three}) == f32_of({11, 7}));

// broken rules
static_assert(broken_by(by_row, {type_of(dtype::token), rhs, three}) == "ragged_dot_i1");
static_assert(broken_by(by_row, {lhs, type_of(dtype::token), three}) == "ragged_dot_i2");
static_assert(broken_by(by_row, {lhs, rhs, f32_of({3})}) == "ragged_dot_i3");
static_assert(broken_by(with({{0}, {}, {2}, {2}, {1}, {0}}), {lhs, rhs, three}) == "ragged_dot_c1");
static_assert(broken_by(with({{0}, {1}, {2}, {}, {1}, {0}}), {lhs, rhs, three}) == "ragged_dot_c2");
static_assert(broken_by(with({{0}, {1}, {0}, {2}, {1}, {0}}), {lhs, rhs, three}) == "ragged_dot_c3");
static_assert(broken_by(with({{0}, {1}, {2}, {2}, {1}, {1}}), {lhs, rhs, three}) == "ragged_dot_c4");
static_assert(broken_by(with({{0}, {1}, {2}, {2}, {3}, {0}}), {lhs, rhs, three}) == "ragged_dot_c5");
static_assert(broken_by(with({{0}, {1}, {2}, {2}, {1}, {4}}), {lhs, rhs, three}) == "ragged_dot_c6");
static_assert(broken_by(by_row, {f32_of({3, 11, 5}), rhs, three}) == "ragged_dot_c7");
static_assert(broken_by(by_row, {f32_of({2, 11, 4}), rhs, three}) == "ragged_dot_c8");
static_assert(broken_by(ops::ragged_dot{by_row.ragged_dot_dimension_numbers, {precision::HIGH}}, {lhs, rhs, three}) ==
              "ragged_dot_c9");
static_assert(broken_by(by_row, {lhs, type_of(dtype::f64, {3, 2, 5, 7}), three}) == "ragged_dot_c10");
static_assert(broken_by(with({{0}, {1}, {2}, {2}, {}, {0}}), {lhs, rhs, three}) == "ragged_dot_c11");
static_assert(broken_by(with({{0}, {1}, {2}, {2}, {0}, {0}}), {lhs, rhs, three}) == "ragged_dot_c12");
static_assert(broken_by(with({{0}, {0}, {2}, {1}, {1}, {}}), {lhs, batched, three}) == "ragged_dot_c12");
static_assert(broken_by(by_row, {lhs, rhs, i64_of({4})}) == "ragged_dot_c13");
static_assert(broken_by(by_row, {lhs, rhs, i64_of({11, 3})}) == "ragged_dot_c14");
static_assert(broken_by(by_batch, {lhs, batched, each_three}) == "ragged_dot_c14");
static_assert(broken_by(by_row, {lhs, rhs, three}, {f32_of({2, 11, 5})}) == "ragged_dot_c15");
static_assert(broken_by(by_row, {lhs, rhs, three}, {type_of(dtype::i32, {2, 11, 7})}) == "ragged_dot_o1");

// Small whole numbers: sums are exact in any order.
template <class T>
std::vector<T> pattern(index_t count, int step) {
  std::vector<T> result;
  for (index_t i = 0; i < count; ++i) result.push_back(T(int((i * step) % 7) - 3));
  return result;
}

// Which group an index is in, -1 for none.
int group_of(const std::vector<i64>& sizes, std::size_t first, int groups, i64 index) {
  i64 end = 0;
  for (int g = 0; g < groups; ++g) {
    end += sizes[first + std::size_t(g)] < 0 ? 0 : sizes[first + std::size_t(g)];
    if (index < end) return g;
  }
  return -1;
}

}  // namespace

TEST_CASE_TEMPLATE("ragged_dot: rows take the rhs of their group", T, f32, i32, bf16) {
  const int m = 11, k = 5, n = 70, groups = 3;
  const std::vector<T> a = pattern<T>(2 * m * k, 5), b = pattern<T>(groups * 2 * k * n, 3);
  for (const std::vector<i64>& sizes :
       {std::vector<i64>{4, 4, 3, 4, 4, 3}, {0, 11, 0, 5, 0, 6}, {2, -3, 4, 20, 1, 1}}) {
    const std::vector<value> results = evaluate<T>(
        by_row, {tensor_of<T>({2, m, k}, a), tensor_of<T>({groups, 2, k, n}, b), tensor_of<i64>({2, groups}, sizes)},
        {type_of(dtype_of<T>, {2, m, n})});
    std::vector<T> expected;
    for (int batch = 0; batch < 2; ++batch)
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          const int group = group_of(sizes, std::size_t(batch * groups), groups, i);
          double sum = 0;
          for (int l = 0; group >= 0 && l < k; ++l)
            sum += double(float(a[std::size_t((batch * m + i) * k + l)])) *
                   double(float(b[std::size_t(((group * 2 + batch) * k + l) * n + j)]));
          expected.push_back(T(float(sum)));
        }
    CHECK(results[0].as<T>() == expected);
  }
}

TEST_CASE("ragged_dot: each group of summands has a sum") {
  const int m = 3, k = 11, n = 4, groups = 3;
  const std::vector<f64> a = pattern<f64>(2 * m * k, 5), b = pattern<f64>(2 * k * n, 3);
  for (const std::vector<i64>& sizes : {std::vector<i64>{4, 4, 3}, {0, 20, 1}, {-1, 2, 3}}) {
    const std::vector<value> results = evaluate<f64>(
        by_sum, {tensor_of<f64>({2, m, k}, a), tensor_of<f64>({2, k, n}, b), tensor_of<i64>({groups}, sizes)},
        {type_of(dtype::f64, {groups, 2, m, n})});
    std::vector<f64> expected;
    for (int group = 0; group < groups; ++group)
      for (int batch = 0; batch < 2; ++batch)
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) {
            f64 sum = 0;
            for (int l = 0; l < k; ++l)
              if (group_of(sizes, 0, groups, l) == group)
                sum += a[std::size_t((batch * m + i) * k + l)] * b[std::size_t((batch * k + l) * n + j)];
            expected.push_back(sum);
          }
    CHECK(results[0].as<f64>() == expected);
  }
}

TEST_CASE("ragged_dot: two contracting dimensions, of which the second is ragged") {
  // group_sizes has sizes for each index of the first one.
  constexpr ops::ragged_dot self{numbers{{}, {}, {1, 2}, {0, 1}, {2}, {}}};
  const std::vector<f32> a = pattern<f32>(2 * 3 * 5, 5), b = pattern<f32>(3 * 5 * 4, 3);
  const std::vector<i64> sizes = {1, 4, 5, 0, 2, 2};
  const std::vector<value> results =
      evaluate<f32>(self, {tensor_of<f32>({2, 3, 5}, a), tensor_of<f32>({3, 5, 4}, b), tensor_of<i64>({3, 2}, sizes)},
                    {f32_of({2, 2, 4})});
  std::vector<f32> expected;
  for (int group = 0; group < 2; ++group)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j) {
        f32 sum = 0;
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 5; ++l)
            if (group_of(sizes, std::size_t(2 * k), 2, l) == group)
              sum += a[std::size_t((i * 3 + k) * 5 + l)] * b[std::size_t((k * 5 + l) * 4 + j)];
        expected.push_back(sum);
      }
  CHECK(results[0].as<f32>() == expected);
}

TEST_CASE("ragged_dot: groups of what batches change nothing") {
  const std::vector<f32> a = pattern<f32>(2 * 3 * 5, 5), b = pattern<f32>(2 * 5 * 4, 3);
  const std::vector<value> results =
      evaluate<f32>(by_batch, {tensor_of<f32>({2, 3, 5}, a), tensor_of<f32>({2, 5, 4}, b), tensor_of<i64>({2}, {1, 0})},
                    {f32_of({2, 3, 4})});
  std::vector<f32> expected;
  for (int batch = 0; batch < 2; ++batch)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) {
        f32 sum = 0;
        for (int l = 0; l < 5; ++l)
          sum += a[std::size_t((batch * 3 + i) * 5 + l)] * b[std::size_t((batch * 5 + l) * 4 + j)];
        expected.push_back(sum);
      }
  CHECK(results[0].as<f32>() == expected);
}
