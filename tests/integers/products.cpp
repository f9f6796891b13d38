// SPDX-License-Identifier: Apache-2.0
#include <tenon/integers/products.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace tenon;

template <class T>
std::vector<T> numbers(index_t count, int seed) {
  std::vector<T> result;
  for (index_t i = 0; i < count; ++i) result.push_back(T(std::uint32_t(i + seed) * 2654435761u >> 24));
  return result;
}

// A product of matrices whose entries lie so far apart, and every entry beside the result as it was.
template <class T>
bool is_right(index_t m, index_t n, index_t k, bool along_columns, index_t row_step, bool accumulate) {
  const index_t row = k * row_step + 1, column = along_columns ? k + 3 : 1, column_step = along_columns ? 1 : n + 2;
  const std::vector<T> a = numbers<T>(m * row + 1, 1), b = numbers<T>((n + 3) * (k + 3), 2);
  const index_t to_row = n + 1;
  std::vector<std::int32_t> to(std::size_t(m * to_row), 7), expected = to;
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      std::int32_t sum = accumulate ? 7 : 0;
      for (index_t p = 0; p < k; ++p)
        sum += a[std::size_t(i * row + p * row_step)] * b[std::size_t(j * column + p * column_step)];
      expected[std::size_t(i * to_row + j)] = sum;
    }
  core::multiply_integers<T>(m, n, {a.data(), b.data(), row, row_step, column, column_step, k}, to.data(), to_row,
                             accumulate);
  return to == expected;
}

template <class T>
void check_all() {
  for (index_t m : {1, 2, 3, 5})
    for (index_t n : {1, 2, 3, 4, 7, 9})
      for (index_t k : {0, 1, 3, 4, 8, 13, 16, 40})
        for (const bool along_columns : {false, true})
          for (index_t row_step : {1, 3})
            for (const bool accumulate : {false, true}) {
              CAPTURE(m);
              CAPTURE(n);
              CAPTURE(k);
              CHECK(is_right<T>(m, n, k, along_columns, row_step, accumulate));
            }
}

}  // namespace

TEST_CASE("products of signed and unsigned integers of 8 bits") {
  check_all<std::int8_t>();
  check_all<std::uint8_t>();
}
