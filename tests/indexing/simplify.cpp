// SPDX-License-Identifier: Apache-2.0
#include "random_maps.hpp"

#include <doctest/doctest.h>

#include <tenon/indexing/simplify.hpp>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr indexing_map read(std::string_view text) { return parse(text).map; }

constexpr indexing_map simplified(indexing_map map, simplify_options options = {}) {
  simplify(map, options);
  return map;
}

// Both texts end in the same bounds.
constexpr bool becomes(std::string_view given, std::string_view wanted) {
  const indexing_map map = simplified(read(given));
  return map == read(wanted) && simplified(map) == map;
}
constexpr bool stays(std::string_view given) {
  indexing_map map = read(given);
  return !simplify(map) && map == read(given);
}

// The examples of the indexing analysis document.
static_assert(becomes("(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16) d0 in [0, 6] d1 in [0, 14]",
                      "(d0, d1) -> (d0, d1) d0 in [0, 6] d1 in [0, 14]"));
static_assert(
    becomes("(d0, d1, d2) -> ((100 * d0 + 10 * d1 + d2) floordiv 100, "
            "((100 * d0 + 10 * d1 + d2) mod 100) floordiv 10, d2 mod 10) "
            "d0 in [0, 9] d1 in [0, 9] d2 in [0, 9]",
            "(d0, d1, d2) -> (d0, d1, d2) d0 in [0, 9] d1 in [0, 9] d2 in [0, 9]"));
static_assert(
    becomes("(d0, d1, d2) -> ((16 * d0 + 4 * d1 + d2) floordiv 8, (16 * d0 + 4 * d1 + d2) mod 8) "
            "d0 in [0, 9] d1 in [0, 9] d2 in [0, 9]",
            "(d0, d1, d2) -> (d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8) "
            "d0 in [0, 9] d1 in [0, 9] d2 in [0, 9]"));
static_assert(becomes("(d0, d1) -> (-((-11 * d0 - d1 + 109) floordiv 11) + 9) d0 in [0, 9] d1 in [0, 10]",
                      "(d0, d1) -> (d0) d0 in [0, 9] d1 in [0, 10]"));

// Sums.
static_assert(becomes("(d0, d1) -> (d0 + d1 + d0 - d1 - d0) d0 in [0, 6] d1 in [0, 6]",
                      "(d0, d1) -> (d0) d0 in [0, 6] d1 in [0, 6]"));
static_assert(becomes("(d0, d1) -> (d0 * 3 + d1 * d0 - d0 * d1) d0 in [0, 6] d1 in [0, 6]",
                      "(d0, d1) -> (d0 * 3) d0 in [0, 6] d1 in [0, 6]"));

// Divisions and remainders.
static_assert(becomes("(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8) d0 in [0, 3] d1 in [0, 7]",
                      "(d0, d1) -> (d0, d1) d0 in [0, 3] d1 in [0, 7]"));
static_assert(becomes("(d0) -> (((d0 floordiv 4) floordiv 5) floordiv 6) d0 in [0, 999]",
                      "(d0) -> (d0 floordiv 120) d0 in [0, 999]"));
static_assert(becomes("(d0) -> ((d0 mod 60) mod 12, (d0 mod 60) floordiv 60) d0 in [0, 999]",
                      "(d0) -> (d0 mod 12, 0) d0 in [0, 999]"));
static_assert(becomes("(d0) -> (d0 mod 10 + (d0 floordiv 10) * 10) d0 in [-50, 999]", "(d0) -> (d0) d0 in [-50, 999]"));
static_assert(becomes("(d0) -> (d0 - (d0 floordiv 10) * 10) d0 in [0, 999]", "(d0) -> (d0 mod 10) d0 in [0, 999]"));
static_assert(becomes("(d0) -> ((d0 * 6 + 1) floordiv 8, (d0 * 2 + 10) mod 8) d0 in [0, 999]",
                      "(d0) -> ((d0 * 3) floordiv 4, ((d0 + 1) mod 4) * 2) d0 in [0, 999]"));
static_assert(becomes("(d0) -> (d0 floordiv 30 + d0 mod 30) d0 in [60, 89]", "(d0) -> (d0 - 58) d0 in [60, 89]"));
static_assert(stays("(d0) -> (d0 floordiv 30, d0 mod 30) d0 in [50, 89]"));
static_assert(stays("(d0) -> ((d0 floordiv 3) floordiv -5) d0 in [0, 99]"));
static_assert(stays("(d0) -> (d0 floordiv 0, d0 mod 0) d0 in [0, 99]"));

// The variables of the divisor are known.
static_assert(becomes("(d0, d1) -> (d0 floordiv d1) d0 in [0, 99] d1 in [7, 7]",
                      "(d0, d1) -> (d0 floordiv 7) d0 in [0, 99] d1 in [7, 7]"));

// Minima and maxima.
static_assert(
    becomes("(d0, d1) -> (min(d0, d1 + 10), max(d0 + 4, d0 - 1), max(d1, max(d1 - 3, d0))) "
            "d0 in [0, 9] d1 in [0, 9]",
            "(d0, d1) -> (d0, d0 + 4, max(d1, d0)) d0 in [0, 9] d1 in [0, 9]"));
static_assert(becomes("(d0, d1) -> (max(d0 * 4, d1 * 4) floordiv 4, min(d0, max(d1, d0))) d0 in [0, 9] d1 in [0, 9]",
                      "(d0, d1) -> (max(d0, d1), d0) d0 in [0, 9] d1 in [0, 9]"));

// Constraints: into bounds, isolated, dropped, merged, contradicted.
static_assert(becomes("(d0) -> (d0) d0 in [0, 99] (d0 + 5) * 2 in [20, 41]", "(d0) -> (d0) d0 in [5, 15]"));
static_assert(becomes("(d0) -> (d0) d0 in [0, 99] d0 floordiv 8 in [5, 11]", "(d0) -> (d0) d0 in [40, 95]"));
static_assert(becomes("(d0) -> (d0) d0 in [-99, 99] d0 floordiv -3 in [-11, -5]", "(d0) -> (d0) d0 in [13, 33]"));
static_assert(becomes("(d0) -> (d0) d0 in [0, 99] d0 mod 8 + 5 in [6, 10]",
                      "(d0) -> (d0) d0 in [0, 99] d0 mod 8 in [1, 5]"));
static_assert(becomes("(d0, d1) -> (d0) d0 in [0, 9] d1 in [0, 9] d0 + d1 in [0, 18]",
                      "(d0, d1) -> (d0) d0 in [0, 9] d1 in [0, 9]"));
static_assert(becomes("(d0, d1) -> (d0) d0 in [0, 9] d1 in [0, 9] d0 + d1 in [0, 12] d1 * 2 + d0 * 2 + 1 in [5, 99]",
                      "(d0, d1) -> (d0) d0 in [0, 9] d1 in [0, 9] d0 + d1 in [2, 12]"));
static_assert(becomes("(d0) -> (d0) d0 in [1, 99] d0 mod 6 in [0, 0] d0 mod 4 in [0, 0]",
                      "(d0) -> (d0) d0 in [12, 96] d0 mod 12 in [0, 0]"));
static_assert(becomes("(d0) -> (d0) d0 in [0, 99] d0 mod 6 in [5, 5] d0 mod 3 in [2, 2]",
                      "(d0) -> (d0) d0 in [5, 95] d0 mod 6 in [5, 5]"));
static_assert(simplified(read("(d0) -> (d0) d0 in [0, 99] d0 mod 6 in [5, 5] d0 mod 3 in [1, 1]")).is_known_empty());
static_assert(simplified(read("(d0) -> (d0) d0 in [0, 9] d0 * 2 in [20, 30]")).is_known_empty());
static_assert(simplified(read("(d0) -> (d0) d0 in [0, 9] d0 floordiv 4 in [3, 3]")).is_known_empty());

// Variables with one value.
static_assert(becomes("(d0, d1)[s0] -> (d0, d1 + s0) d0 in [7, 7] d1 in [0, 3] s0 in [0, 0]",
                      "(d0, d1)[s0] -> (7, d1) d0 in [7, 7] d1 in [0, 3] s0 in [0, 0]"));
static_assert(simplified(read("(d0) -> (d0 * 2 + 1) d0 in [7, 7]"), {.keep_point_variables = true}) ==
              read("(d0) -> (d0 * 2 + 1) d0 in [7, 7]"));

// What a constraint says of a sum helps the results.
static_assert(
    becomes("(d0, d1) -> ((d0 * 86 + d1) floordiv 1024) d0 in [0, 11] d1 in [0, 85] d0 * 86 + d1 in [0, 1023]",
            "(d0, d1) -> (0) d0 in [0, 11] d1 in [0, 85] d0 * 86 + d1 in [0, 1023]"));

// Numbers near the ends of 64 bits are left alone rather than computed wrongly.
constexpr indexing_map huge =
    simplified(read("(d0) -> ((d0 * 4611686018427387904) floordiv 3 + d0 * 4611686018427387904 * 4) "
                    "d0 in [-9223372036854775808, 9223372036854775807]"));
static_assert(huge.is_defined() && huge.result_count == 1);

}  // namespace

TEST_CASE("simplify keeps domain and results, never grows, and is done after one call") {
  using random_maps::tuple;
  random_maps::source random{11};
  int shorter = 0;
  for (int i = 0; i < 3000; ++i) {
    const random_maps::map map =
        random_maps::draw_map(random, static_cast<int>(random.draw(1, 2)), 2, static_cast<int>(random.draw(1, 4)));
    if (!map.is_defined()) continue;
    random_maps::map simple = map;
    const bool changed = simplify(simple);
    CHECK(changed == !(simple == map));
    REQUIRE(verify(simple));
    if (simple.is_defined()) {
      CHECK(random_maps::cost_of_results(simple) <= random_maps::cost_of_results(map));
      CHECK(simple.constraint_count <= map.constraint_count);
      shorter += random_maps::cost_of_results(simple) < random_maps::cost_of_results(map) ? 1 : 0;
      random_maps::map again = simple;
      CHECK_FALSE(simplify(again));
    }
    bool same = true;
    random_maps::for_each_point(map, [&](const tuple& d, const tuple& s) {
      const bool inside = in_domain(map, d, s);
      same = same && inside == (simple.is_defined() && in_domain(simple, d, s));
      if (inside && same) same = random_maps::results_of(map, d, s) == random_maps::results_of(simple, d, s);
    });
    CHECK(same);
  }
  CHECK(shorter > 500);
}
