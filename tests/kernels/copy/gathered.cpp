// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/copy/gathered.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

std::vector<std::uint16_t> numbers(int count) {
  std::vector<std::uint16_t> result;
  for (int i = 0; i < count; ++i) result.push_back(std::uint16_t(i));
  return result;
}

TEST_CASE("rows are read where indices say, kept inside") {
  const auto from = numbers(70);
  const std::int32_t rows[] = {3, -7, 99, 0};
  for (const index_t row : {index_t(10), index_t(4)}) {
    const strided_access walk{{4, row}, {0, 1}, 2}, index{{4, row}, {1, 0}, 0};
    const index_walk indices[] = {{rows, dtype::i32, &index, 10, 0, 5}};
    const gathered_walk gathered{&walk, {indices, 1}, row, nullptr};
    for (index_t first = 0; first < 4 * row; ++first) {
      std::vector<std::uint16_t> to(std::size_t(4 * row - first));
      copy_gathered(to.data(), from.data(), gathered, first, index_t(to.size()));
      for (index_t i = first; i < 4 * row; ++i) {
        constexpr int inside[] = {3, 0, 5, 0};
        REQUIRE(to[std::size_t(i - first)] == inside[i / row] * 10 + i % row + 2);
      }
    }
  }
}

TEST_CASE("short runs begin and end anywhere") {
  const auto from = numbers(200);
  // Of 3 x 7 rows; two indices for each of them, of which one is of its column only, and runs that are parts of rows.
  std::int32_t rows[21];
  std::int64_t columns[7];
  for (int i = 0; i < 21; ++i) rows[i] = (i * 5) % 9 - 1;
  for (int i = 0; i < 7; ++i) columns[i] = 6 - i;
  for (const index_t row : {2, 3, 4, 5, 6})
    for (const index_t run : {row, row % 2 == 0 ? row / 2 : row}) {
      const strided_access walk{{3, 7, row}, {0, 0, 2}, 3}, by_row{{21, row}, {1, 0}, 0},
          by_column{{3, 7, row}, {0, 1, 0}, 0};
      const index_walk indices[] = {{rows, dtype::i32, &by_row, 20, 0, 7}, {columns, dtype::i64, &by_column, 4, 1, 5}};
      const gathered_walk gathered{&walk, {indices, 2}, run, nullptr};
      for (index_t first = 0; first < 21 * row; ++first)
        for (const index_t last : {21 * row, std::min(21 * row, first + 1), std::min(21 * row, first + 2 * row + 1)}) {
          std::vector<std::uint16_t> to(std::size_t(last - first));
          copy_gathered(to.data(), from.data(), gathered, first, last - first);
          for (index_t i = first; i < last; ++i) {
            const index_t x = std::clamp(rows[i / row], 0, 7), y = std::clamp<index_t>(columns[i / row % 7], 1, 5);
            REQUIRE(to[std::size_t(i - first)] == 3 + i % row * 2 + x * 20 + y * 4);
          }
        }
    }
}

TEST_CASE("walks are taken one after the other") {
  const auto from = numbers(30);
  // A 5 x 6 tensor turned, counted in rows of 10, and turned again; and moved by one.
  const strided_access turned{{6, 5}, {1, 6}, 0}, again{{10, 3}, {1, 10}, 0}, nowhere{{30}, {0}, 0};
  const std::uint64_t one = 1;
  const index_walk indices[] = {{&one, dtype::ui64, &nowhere, 1, 0, 4}};
  const gathered_walk before{&again, {}, 0, nullptr}, both{&turned, {}, 30, &before};
  const gathered_walk moved{&again, {indices, 1}, 30, nullptr};
  std::vector<std::uint16_t> to(300 / 10);
  copy_gathered(to.data(), from.data(), both, 0, 30);
  for (int i = 0; i < 30; ++i) {
    const int between = i % 3 * 10 + i / 3;
    CHECK(to[std::size_t(i)] == between % 5 * 6 + between / 5);
  }
  copy_gathered(to.data(), from.data(), moved, 3, 20);
  for (int i = 0; i < 20; ++i) CHECK(to[std::size_t(i)] == (i + 3) % 3 * 10 + (i + 3) / 3 + 1);
}

TEST_CASE("indices are clamped, whatever their type") {
  const std::int8_t bytes[] = {-5, 3, 100};
  index_t to[] = {0, 1, 2};
  read_indices_at(dtype::i8, bytes, to, 3, 0, 7);
  CHECK(to[0] == 0);
  CHECK(to[1] == 3);
  CHECK(to[2] == 7);
  const std::uint64_t large = ~std::uint64_t(0);
  index_t one = 0;
  read_indices_at(dtype::ui64, &large, &one, 1, 0, 7);
  CHECK(one == 7);
}

}  // namespace
