// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/copy_run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace tenon;
using namespace tenon::core;

TEST_CASE_TEMPLATE("copy_run: every stride, and nothing beyond", Bytes, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, element_bytes_16) {
  const auto number = [](const Bytes& element) {
    if constexpr (sizeof(Bytes) == 16)
      return element.low;
    else
      return std::uint64_t(element);
  };
  for (index_t stride : {-3, -1, 0, 1, 2, 5})
    for (index_t count : {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 100, 127, 128, 129, 1000, 9000}) {
      std::vector<Bytes> from(std::size_t(6 * count + 1)), to(std::size_t(count + 2));
      for (std::size_t i = 0; i < from.size(); ++i) {
        if constexpr (sizeof(Bytes) == 16)
          from[i] = {i * 7 + 1, i};
        else
          from[i] = Bytes(i * 7 + 1);
      }
      const index_t first = stride < 0 ? 3 * count : 0;
      copy_run(to.data() + 1, from.data() + first, stride, count);
      bool right = number(to[0]) == 0 && number(to[std::size_t(count + 1)]) == 0;
      for (index_t i = 0; i < count; ++i)
        right = right && number(to[std::size_t(i + 1)]) == number(from[std::size_t(first + i * stride)]);
      CHECK(right);
    }
}

TEST_CASE("copy_row, copy_scattered_row: rows of every length, and nothing beyond") {
  std::vector<unsigned char> from(10000), to(10002);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 + i / 256 + 1);
  const auto is_copied = [&](auto copy, index_t bytes) {
    std::fill(to.begin(), to.end(), static_cast<unsigned char>(0));
    copy(to.data() + 1, from.data(), bytes);
    for (std::size_t i = 0; i < std::size_t(bytes); ++i)
      if (to[i + 1] != from[i]) return false;
    return to[0] == 0 && to[std::size_t(bytes) + 1] == 0;
  };
  for (index_t bytes = 0; bytes < 10000; bytes += bytes < 2200 ? 1 : 97) {
    CHECK(is_copied([](auto... all) { copy_row(all...); }, bytes));
    CHECK(is_copied([](auto... all) { copy_scattered_row(all...); }, bytes));
  }
}

TEST_CASE("copy_placed_rows, copy_spaced_rows: rows of every length they take, and nothing between and beyond") {
  std::vector<unsigned char> from(60000), to, wanted;
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 + i / 256 + 1);
  const auto is_copied = [&](index_t rows, index_t bytes, index_t step, auto position_of, auto copy) {
    to.assign(std::size_t(1 + (rows - 1) * step + bytes + 1), 0);
    wanted = to;
    copy(to.data() + 1);
    for (index_t r = 0; r < rows; ++r)
      for (index_t i = 0; i < bytes; ++i)
        wanted[std::size_t(1 + r * step + i)] = from[std::size_t(30000 + position_of(r) + i)];
    return to == wanted;
  };
  CHECK(!are_even_rows(63));
  CHECK(!are_even_rows(1025));
  const index_t positions[] = {7, -3000, 7, 20000, 0};
  const auto position_of = [&](index_t r) { return positions[r]; };
  const unsigned char* const middle = from.data() + 30000;
  for (index_t bytes = 64; bytes <= 1024; ++bytes) {
    bool same = are_even_rows(bytes);
    for (index_t step : {bytes, bytes + 3}) {
      same = same && is_copied(5, bytes, step, position_of,
                               [&](unsigned char* at) { copy_placed_rows(at, step, middle, position_of, 5, bytes); });
      for (index_t from_step : {index_t(0), bytes, bytes + 1, -bytes - 9})
        same = same && is_copied(
                           4, bytes, step, [&](index_t r) { return r * from_step; },
                           [&](unsigned char* at) { copy_spaced_rows(at, step, middle, from_step, 4, bytes); });
    }
    CHECK(same);
  }
}
