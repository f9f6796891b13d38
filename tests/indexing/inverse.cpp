// SPDX-License-Identifier: Apache-2.0
#include <tenon/indexing/inverse.hpp>

#include "random_maps.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr indexing_map read(std::string_view text) { return parse(text).map; }

constexpr indexing_map turned(const indexing_map& map, const ints& shape) { return inverse(map, integers(shape)); }

// The maps from the operand that the field writes down, found from those of the result.
static_assert(turned(broadcast_in_dim_map({10, 20, 30}, {20}, {1}), {20}) ==
              read("(d0)[s0, s1] -> (s0, d0, s1) d0 in [0, 19] s0 in [0, 9] s1 in [0, 29]"));
static_assert(turned(transpose_map({3, 6, 128, 12288}, {0, 2, 3, 1}), {3, 12288, 6, 128}) ==
              transpose_output_map({3, 12288, 6, 128}, {0, 2, 3, 1}));
static_assert(turned(reverse_map({1, 17, 9, 9}, {1, 2}), {1, 17, 9, 9}) == read("(d0, d1, d2, d3) -> "
                                                                                "(0, -d1 + 16, -d2 + 8, d3) "
                                                                                "d0 in [0, 0] d1 in [0, 16] "
                                                                                "d2 in [0, 8] d3 in [0, 8]"));
static_assert(turned(slice_map({5, 3, 25}, {5, 3, 0}, {1, 7, 2}), {10, 20, 50}) ==
              read("(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2) d0 in [5, 9] d1 in [3, 17] "
                   "d2 in [0, 48] (d1 - 3) mod 7 in [0, 0] d2 mod 2 in [0, 0]"));
static_assert(turned(reduce_map({10}, {256, 10}, {0}), {256, 10}) ==
              read("(d0, d1) -> (d1) d0 in [0, 255] d1 in [0, 9]"));
static_assert(turned(pad_map({12, 16}, {4, 4}, {1, 4}, {1, 0}), {4, 4}) ==
              read("(d0, d1) -> (d0 * 2 + 1, d1 + 4) d0 in [0, 3] d1 in [0, 3]"));
static_assert(turned(dot_general_rhs_map({4, 128, 64}, {4, 256, 64}, {0}, {1}), {4, 256, 64}) ==
              read("(d0, d1, d2)[s0] -> (d0, s0, d2) d0 in [0, 3] d1 in [0, 255] d2 in [0, 63] s0 in [0, 127]"));
// An element of an operand stands under several windows.
static_assert(turned(reduce_window_map({4}, {9}, {3}, {2}, {1}, {1}, {0}), {9}) ==
              read("(d0)[s0] -> (s0) d0 in [0, 8] s0 in [0, 3] d0 - s0 * 2 in [0, 2]"));
static_assert(turned(dynamic_slice_map({2}, {9}), {9}) ==
              read("(d0){rt0} -> (d0 - rt0) d0 in [0, 8] rt0 in [0, 7] d0 - rt0 in [0, 1]"));

static_assert(turned(indexing_map{}, {2}).is_undefined());
static_assert(turned(unknown_map(), {2}).is_unknown());
static_assert(turned(identity_map({2}), {2, 3}).is_unknown());
static_assert(turned(identity_map({0, 2}), {0, 2}).is_known_empty());
static_assert(turned(identity_map({0, 2}), {0, 2}).result_count == 2);

using random_maps::tuple;
using pair = std::pair<tuple, tuple>;

// All pairs of an index and one that it leads to, with the values of the runtime variables in front.
std::set<pair> pairs_of(const random_maps::map& given, bool turn, const ints& shape) {
  std::set<pair> result;
  if (!given.is_defined()) return result;
  random_maps::for_each_point(given, [&](const tuple& d, const tuple& s) {
    if (!constraints_satisfied(given, d, s)) return;
    tuple from(s.begin() + given.range_count, s.end()), to = from;
    const tuple found = random_maps::results_of(given, d, s);
    from.insert(from.end(), d.begin(), d.end());
    to.insert(to.end(), found.begin(), found.end());
    const tuple& inside = turn ? d : found;
    for (std::size_t i = 0; i < inside.size(); ++i)
      if (inside[i] < 0 || inside[i] >= shape[static_cast<index_t>(i)]) return;
    result.insert(turn ? pair{to, from} : pair{from, to});
  });
  return result;
}

}  // namespace

TEST_CASE("the inverse of a map relates the same elements") {
  random_maps::source random{77};
  int compared = 0, filled = 0;
  for (int i = 0; i < 1500; ++i) {
    const int rank = static_cast<int>(random.draw(1, 2));
    const random_maps::map given =
        random_maps::draw_map(random, static_cast<int>(random.draw(1, 2)), rank, static_cast<int>(random.draw(0, 2)));
    ints shape;
    for (int k = 0; k < rank; ++k) shape.push(random.draw(1, 9));
    const random_maps::map back = inverse(given, integers(shape));
    if (back.is_unknown() || back.range_count > 3) continue;
    CAPTURE(print(given).view());
    CAPTURE(print(back).view());
    CHECK(verify(back));
    const auto forth = pairs_of(given, false, shape);
    CHECK(forth == pairs_of(back, true, shape));
    ++compared;
    filled += forth.empty() ? 0 : 1;
  }
  CHECK(compared > 1200);
  CHECK(filled > 500);
}
