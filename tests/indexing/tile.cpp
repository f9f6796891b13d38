// SPDX-License-Identifier: Apache-2.0
#include <tenon/indexing/tile.hpp>

#include <doctest/doctest.h>

#include <tenon/indexing/builders.hpp>
#include <tenon/indexing/text.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr indexing_map read(std::string_view text) { return parse(text).map; }

constexpr indexing_map window = read("(d0)[s0] -> (d0 * 2 + s0 - 1) d0 in [0, 7] s0 in [0, 2]");
constexpr indexing_map holes = read("(d0)[s0] -> (d0 * 8 + s0 * 3) d0 in [0, 7] s0 in [0, 1]");
constexpr indexing_map split = read("(d0) -> (d0 floordiv 4, d0 mod 4) d0 in [0, 23]");
constexpr indexing_map turned = read("(d0, d1) -> (5 - d1 * 2, d0 + 3) d0 in [0, 3] d1 in [0, 2]");
constexpr indexing_map contracted = read("(d0, d1)[s0] -> (d0, s0) d0 in [0, 3] d1 in [0, 4] s0 in [0, 9]");
constexpr indexing_map moved = read("(d0){rt0} -> (d0 + rt0) d0 in [0, 3] rt0 in [0, 6]");
constexpr indexing_map joined = read("(d0, d1) -> (d0 * 4 + d1) d0 in [0, 3] d1 in [0, 3]");

static_assert(tile_of(holes).is_unknown() && tile_of(unknown_map()).is_unknown());
static_assert(tile_of(moved).runtime_count == 1);

// All positions that a map gives for a tile of the result, in order and once.
std::vector<std::vector<std::int64_t>> positions(const indexing_map& map, const std::vector<std::int64_t>& tile) {
  const int rank = map.dimension_count;
  std::vector<std::vector<std::int64_t>> found(std::size_t(map.result_count));
  std::vector<std::int64_t> point(std::size_t(rank), 0), symbols(std::size_t(map.symbol_count()), 0);
  const auto along = [&](const auto& self, int variable) -> void {
    if (variable == rank + map.range_count) {
      const auto values = evaluate(map, integers(point), integers(symbols));
      for (int i = 0; i < map.result_count; ++i) found[std::size_t(i)].push_back(values[i]);
    } else if (variable < rank) {
      for (std::int64_t k = 0; k < tile[std::size_t(rank + variable)]; ++k) {
        point[std::size_t(variable)] = tile[std::size_t(variable)] + k * tile[std::size_t(2 * rank + variable)];
        self(self, variable + 1);
      }
    } else {
      const interval bounds = map.range_bounds[variable - rank];
      for (std::int64_t k = bounds.lower; k <= bounds.upper; ++k) {
        symbols[std::size_t(variable - rank)] = k;
        self(self, variable + 1);
      }
    }
  };
  along(along, 0);
  for (auto& each : found) {
    std::sort(each.begin(), each.end());
    each.erase(std::unique(each.begin(), each.end()), each.end());
  }
  return found;
}

// Every tile of the result of which the constraints say that it has one in the operand.
int compare_tiles(const indexing_map& map) {
  const auto tile = tile_of(map);
  REQUIRE(tile.is_defined());
  const int rank = map.dimension_count;
  int compared = 0;
  std::vector<std::int64_t> at(std::size_t(3 * rank), 0);
  const auto choose = [&](const auto& self, int i) -> void {
    if (i == 3 * rank) {
      for (int d = 0; d < rank; ++d)
        if (at[std::size_t(d)] + (at[std::size_t(rank + d)] - 1) * at[std::size_t(2 * rank + d)] >
            map.dimension_bounds[d].upper)
          return;
      if (!in_domain(tile, integers(at))) return;
      const auto parts = evaluate(tile, integers(at));
      const auto wanted = positions(map, at);
      ++compared;
      for (int k = 0; k < map.result_count; ++k) {
        std::vector<std::int64_t> given;
        for (std::int64_t n = 0; n < parts[map.result_count + k]; ++n)
          given.push_back(parts[k] + n * parts[2 * map.result_count + k]);
        REQUIRE(given == wanted[std::size_t(k)]);
      }
      return;
    }
    const std::int64_t lowest = i < rank ? 0 : 1, count = map.dimension_bounds[i % rank].count();
    for (at[std::size_t(i)] = lowest; at[std::size_t(i)] < lowest + count; ++at[std::size_t(i)]) self(self, i + 1);
  };
  choose(choose, 0);
  return compared;
}

}  // namespace

TEST_CASE("tiles of operands are what maps give for all elements of tiles of results") {
  CHECK(compare_tiles(window) > 10);
  CHECK(compare_tiles(split) > 50);
  CHECK(compare_tiles(turned) > 50);
  CHECK(compare_tiles(contracted) > 50);
  CHECK(compare_tiles(joined) > 3);
  CHECK(compare_tiles(identity_map({3, 4})) > 50);
  CHECK(compare_tiles(transpose_map({3, 4}, {1, 0})) > 50);
  CHECK(compare_tiles(slice_map({3, 2}, {0, 1}, {1, 2})) > 10);
  CHECK(compare_tiles(reverse_map({3, 4}, {0, 1})) > 50);
  CHECK(compare_tiles(broadcast_in_dim_map({3, 4}, {4}, {1})) > 50);
  CHECK(compare_tiles(reduce_window_map({4, 4}, {8, 8}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1})) > 50);
}

TEST_CASE("a tile as text") {
  const auto tile = tile_of(read("(d0)[s0] -> (d0 * 3, s0) d0 in [0, 3] s0 in [0, 4]"));
  const std::string text(print(tile).view());
  CHECK(text.find("(d0 * 3, 0, d1, 5, d2 * 3, 1)") != std::string::npos);
  const auto of_windows = tile_of(window);
  CAPTURE(std::string(print(of_windows).view()));
  CHECK(std::string(print(of_windows).view())
            .find("(d0, d1, d2) -> (d0 * 2 - 1, d1 * 2 + 1, 1)\nd0 in [0, 7]\nd1 in [1, 8]\nd2 in [1, 1]") == 0);
}

TEST_CASE("how much of an operand is needed, and of the lines that hold it") {
  const auto used = [](const indexing_map& map, const ints& shape) { return use_of(map, shape); };
  CHECK(used(identity_map({3, 4}), {3, 4}).utilisation() == 1);
  CHECK(used(identity_map({3, 4}), {3, 4}).coalescing(16) == 1);
  const operand_use columns = used(transpose_map({8, 32}, {1, 0}), {32, 8});
  CHECK(columns.utilisation() == 1);
  CHECK(columns.apart == 8);
  CHECK(columns.coalescing(16) == 0.125);
  CHECK(columns.coalescing(4) == 0.25);
  const operand_use every_other = used(slice_map({3, 2}, {0, 1}, {1, 2}), {3, 4});
  CHECK(every_other.utilisation() == 0.5);
  CHECK(every_other.coalescing(16) == 0.5);
  // Padding is no part of the operand.
  CHECK(used(window, {15}).needed == 15);
  CHECK(!used(moved, {10}).known);
  CHECK(!used(holes, {60}).known);
  CHECK(used(joined, {32}).utilisation() == 0.5);
}
