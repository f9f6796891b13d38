// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/copy/strided.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::planning;

namespace {

template <class Bytes>
Bytes element(index_t i) {
  if constexpr (sizeof(Bytes) == 16)
    return {std::uint64_t(i), ~std::uint64_t(i)};
  else
    return Bytes(i * 2654435761);
}
template <class Bytes>
bool same(const Bytes& a, const Bytes& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Any part of any walk over memory, beside the walk step by step.
template <class Bytes>
void check(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](index_t limit) { return index_t(random() % std::uint32_t(limit)); };
  std::vector<Bytes> from;
  for (index_t i = 0; i < 40000; ++i) from.push_back(element<Bytes>(i));
  for (int turn = 0; turn < 200; ++turn) {
    strided_access access{{}, {}, 20000};
    index_t total = 1;
    for (index_t rank = below(5); rank > 0; --rank) {
      access.sizes.push(1 + below(rank == 1 ? 90 : 4));
      access.strides.push(below(3) == 0 ? 0 : rank == 1 && below(2) == 0 ? 1 : below(130) - 65);
      total *= access.sizes.at[access.sizes.size - 1];
    }
    const index_t first = below(total), count = 1 + below(total - first);
    std::vector<Bytes> to(std::size_t(count) + 2, element<Bytes>(7));
    copy_strided(to.data() + 1, from.data(), access, first, count);
    bool right = same(to.front(), element<Bytes>(7)) && same(to.back(), element<Bytes>(7));
    for (index_t i = 0; i < count; ++i) {
      index_t rest = first + i, position = access.base;
      for (int d = access.sizes.size - 1; d >= 0; --d) {
        position += rest % access.sizes.at[d] * access.strides.at[d];
        rest /= access.sizes.at[d];
      }
      right = right && same(to[std::size_t(i) + 1], from[std::size_t(position)]);
    }
    CHECK(right);
  }
}

}  // namespace

TEST_CASE("parts of strided walks") {
  check<std::uint8_t>(1);
  check<std::uint16_t>(2);
  check<std::uint32_t>(3);
  check<std::uint64_t>(4);
  check<element_bytes_16>(5);
}

namespace {

// A box of any shape in memory, beside each of its elements; what lies around it stays as it is.
template <class Bytes>
void check_boxes(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](index_t limit) { return index_t(random() % std::uint32_t(limit)); };
  const Bytes untouched = element<Bytes>(999983);
  for (int turn = 0; turn < 300; ++turn) {
    const index_t rows = 1 + below(turn % 3 == 0 ? 5 : 70), row = 1 + below(turn % 5 == 0 ? 5 : 70);
    // Turned, as it lies, repeated, or neither dimension in order.
    const bool turned = turn % 4 != 3;
    const index_t from_row = turned ? 1 : below(3) * row, from_column = turned ? rows + below(20) : below(3);
    const index_t to_row = row + below(9);
    std::vector<Bytes> from(std::size_t((rows - 1) * from_row + (row - 1) * from_column + 1));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = element<Bytes>(index_t(i));
    std::vector<Bytes> to(std::size_t(rows * to_row) + 1, untouched);
    copy_box(to.data() + 1, to_row, from.data(), from_row, from_column, rows, row);
    bool right = same(to[0], untouched);
    for (index_t r = 0; r < rows; ++r)
      for (index_t c = 0; c < to_row; ++c)
        right = right && same(to[std::size_t(1 + r * to_row + c)],
                              c < row ? from[std::size_t(r * from_row + c * from_column)] : untouched);
    CHECK(right);
  }
}

}  // namespace

TEST_CASE("boxes that are turned, and others") {
  check_boxes<std::uint8_t>(1);
  check_boxes<std::uint16_t>(2);
  check_boxes<std::uint32_t>(3);
  check_boxes<std::uint64_t>(4);
  check_boxes<element_bytes_16>(5);
}
