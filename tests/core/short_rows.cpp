// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/short_rows.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tenon;

namespace {

struct walk {
  ints sizes, strides;
};

template <class Bytes>
void check(const walk& given, index_t first, index_t count) {
  index_t lowest = 0, highest = 0;
  for (int d = 0; d < given.sizes.size; ++d) {
    const index_t reach = (given.sizes[d] - 1) * given.strides[d];
    (reach < 0 ? lowest : highest) += reach;
  }
  // Exactly what the walk reaches, so that nothing else may be read.
  std::vector<Bytes> from(std::size_t(highest - lowest + 1)), to(std::size_t(count) + 2);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = Bytes(i * 2654435761u >> 7);
  const auto element = [&](index_t number) {
    index_t position = -lowest;
    for (int d = given.sizes.size - 1; d >= 0; --d) {
      position += number % given.sizes[d] * given.strides[d];
      number /= given.sizes[d];
    }
    return from[std::size_t(position)];
  };
  short_rows<Bytes> rows;
  if (!rows.prepare(given.sizes, given.strides, count)) return;
  rows.copy(to.data() + 1, from.data() - lowest, given.sizes, given.strides, first, count,
            [&](Bytes* part, index_t start, index_t some) {
              for (index_t i = 0; i < some; ++i) part[i] = element(start + i);
            });
  bool right = to[0] == 0 && to[std::size_t(count) + 1] == 0;
  for (index_t i = 0; i < count; ++i) right = right && to[std::size_t(i) + 1] == element(first + i);
  CHECK(right);
}

}  // namespace

TEST_CASE_TEMPLATE("short_rows: what a loop over the walk gives, and nothing beyond", Bytes, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  const walk walks[] = {
      {{8000, 3}, {4, 1}},             // a part of rows
      {{8000, 3}, {3, -1}},            // turned round
      {{8000, 3}, {-3, 1}},            // from the last row to the first
      {{8000, 7}, {1, 0}},             // repeated along rows
      {{4000, 7}, {0, 1}},             // repeated rows
      {{2000, 4, 4}, {16, 1, 4}},      // small matrices, transposed
      {{500, 8, 8}, {64, 1, 8}},       // larger ones
      {{40, 160, 3}, {160, 1, 6400}},  // channels put last
      {{33, 5, 40, 3}, {700, 130, 3, 1}},
      {{70, 500}, {1600, 2}},
      {{70, 500}, {1600, 3}},
      {{30000}, {4}},
      {{70, 507}, {1600, 2}},
      {{30000}, {2}},
      {{3000, 5}, {6, 1}},  // an element of each row left out
      {{3000, 7}, {8, 1}},
      {{2000, 32}, {32, -1}},  // rows of more than a vector
      {{128, 128, 3}, {3, 384, 1}},
      {{9000, 5}, {1000, 100}},  // too far apart
  };
  for (const walk& each : walks) {
    const index_t all = each.sizes.product();
    check<Bytes>(each, 0, all);
    check<Bytes>(each, 5, all - 11);
    check<Bytes>(each, all / 3, all / 2);
  }
}

TEST_CASE_TEMPLATE("short_rows: rows that are put together of parts", Bytes, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  const std::vector<index_t> all[] = {{3, 1}, {1, 1, 1}, {1, 1, 1, 1}, {2, 5}, {0, 3, 0, 4}, {9, 8}, {1, 30}};
  for (const std::vector<index_t>& counts : all) {
    constexpr index_t rows = 1003;
    const int parts = int(counts.size());
    // Exactly what is read, so that nothing else may be.
    std::vector<std::vector<Bytes>> places(counts.size());
    const Bytes* from[16];
    index_t row = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (index_t j = 0; j < rows * counts[i]; ++j) places[i].push_back(Bytes((index_t(i) + j * 7) * 2654435761 >> 9));
      from[i] = places[i].data();
      row += counts[i];
    }
    short_rows<Bytes> joined;
    if (!joined.prepare_joined(counts.data(), parts, rows)) continue;
    std::vector<Bytes> to(std::size_t(rows * row) + 1);
    const index_t done = joined.join(to.data(), from, rows);
    CHECK(done > rows - 65);
    bool right = true;
    for (index_t r = 0; r < done; ++r) {
      std::size_t at = std::size_t(r * row);
      for (std::size_t i = 0; i < counts.size(); ++i)
        for (index_t j = 0; j < counts[i]; ++j) right = right && to[at++] == from[i][r * counts[i] + j];
    }
    for (std::size_t i = std::size_t(done * row); i < to.size(); ++i) right = right && to[i] == 0;
    CHECK(right);
  }
}

TEST_CASE_TEMPLATE("every other element of rows, and nothing beyond is read or written", Bytes, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  if (!short_rows<Bytes>::serve) return;
  for (const index_t row : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129}) {
    constexpr index_t rows = 3;
    const index_t row_stride = 2 * row + 5;
    std::vector<Bytes> from(std::size_t((rows - 1) * row_stride + 2 * row - 1)), to(std::size_t(rows * row) + 1);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = Bytes(i * 2654435761u >> 7);
    copy_every_other(to.data(), from.data(), row_stride, rows, row);
    bool right = to[std::size_t(rows * row)] == 0;
    for (index_t r = 0; r < rows; ++r)
      for (index_t i = 0; i < row; ++i)
        right = right && to[std::size_t(r * row + i)] == from[std::size_t(r * row_stride + 2 * i)];
    CHECK(right);
  }
}

TEST_CASE("short_rows: serve where vectors can be put together, and rows are short") {
  short_rows<std::uint32_t> rows;
  CHECK(rows.prepare({8000, 3}, {4, 1}, 24000) == short_rows<std::uint32_t>::serve);
  CHECK_FALSE(rows.prepare({8000, 300}, {400, 1}, 2400000));
  CHECK_FALSE(rows.prepare({8, 3}, {4, 1}, 24));
  CHECK_FALSE(rows.prepare({}, {}, 1));
  const index_t parts[] = {3, 1};
  CHECK(rows.prepare_joined(parts, 2, 1000) == short_rows<std::uint32_t>::serve);
  CHECK_FALSE(rows.prepare_joined(parts, 2, 3));
}
