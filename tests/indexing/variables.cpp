// SPDX-License-Identifier: Apache-2.0
#include <tenon/indexing/variables.hpp>

#include "random_maps.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr indexing_map read(std::string_view text) { return parse(text).map; }

constexpr auto used = used_variables(read(
    "(d0, d1)[s0, s1]{rt0} -> (d0 + s1 * 2, 7) d0 in [0, 9] d1 in [0, 9] s0 in [0, 9] s1 in [0, 9] rt0 in [0, 1]"));
static_assert(used.dimensions[0] && !used.dimensions[1] && !used.ranges[0] && used.ranges[1] && !used.runtimes[0]);
static_assert(used.count() == 2 && used_variables(unknown_map()).count() == 0);

template <class Operation>
constexpr indexing_map after(std::string_view text, Operation operation) {
  indexing_map map = read(text);
  operation(map);
  return map;
}
constexpr auto without_vars = [](indexing_map& map) { remove_unused_vars(map); };
constexpr auto without_symbols = [](indexing_map& map) { remove_unused_symbols(map); };
constexpr auto without_dimensions = [](indexing_map& map) { remove_unused_dimensions(map); };

static_assert(after("(d0, d1)[s0]{rt0} -> (d1 + rt0) d0 in [0, 3] d1 in [0, 4] s0 in [0, 5] rt0 in [0, 6]",
                    without_vars) == read("(d0){rt0} -> (d0 + rt0) d0 in [0, 4] rt0 in [0, 6]"));
static_assert(after("(d0, d1)[s0]{rt0} -> (d1 + rt0) d0 in [0, 3] d1 in [0, 4] s0 in [0, 5] rt0 in [0, 6]",
                    without_symbols) == read("(d0, d1){rt0} -> (d1 + rt0) d0 in [0, 3] d1 in [0, 4] rt0 in [0, 6]"));
static_assert(after("(d0, d1)[s0] -> (d1) d0 in [0, 3] d1 in [0, 4] s0 in [0, 5]", without_dimensions) ==
              read("(d0)[s0] -> (d0) d0 in [0, 4] s0 in [0, 5]"));
// A constraint ties variables together, also through others.
static_assert(
    after("(d0)[s0, s1, s2] -> (s0) d0 in [0, 3] s0 in [0, 9] s1 in [0, 9] s2 in [0, 9] "
          "s0 + s1 in [2, 5] s1 + s2 in [3, 4]",
          without_vars) ==
    read("()[s0, s1, s2] -> (s0) s0 in [0, 9] s1 in [0, 9] s2 in [0, 9] s0 + s1 in [2, 5] s1 + s2 in [3, 4]"));
// A constraint on unused variables goes with them if it can be met, and stays if not.
static_assert(after("(d0)[s0] -> (d0) d0 in [0, 3] s0 in [0, 9] s0 mod 3 in [1, 1]", without_vars) ==
              read("(d0) -> (d0) d0 in [0, 3]"));
static_assert(after("(d0)[s0] -> (d0) d0 in [0, 3] s0 in [2, 3] s0 mod 3 in [1, 1]", without_vars).constraint_count ==
              1);

static_assert(after("()[s0, s1] -> (s0, s1) s0 in [-7, 41] s1 in [0, 5] (s0 + 4) mod 6 in [1, 1]",
                    [](indexing_map& map) { rescale_symbols(map); }) ==
              read("()[s0, s1] -> (s0 * 6 + 3, s1) s0 in [-1, 6] s1 in [0, 5]"));
static_assert(after("()[s0] -> (s0) s0 in [0, 41] s0 mod 2 in [1, 1] s0 mod 3 in [1, 1]",
                    [](indexing_map& map) { rescale_symbols(map); }) == read("()[s0] -> (s0 * 6 + 1) s0 in [0, 6]"));
static_assert(after("()[s0] -> (s0) s0 in [4, 5] s0 mod 6 in [3, 3]", [](indexing_map& map) {
                rescale_symbols(map);
              }).is_known_empty());
constexpr bool rescale_reports() {
  indexing_map map = read("(d0)[s0] -> (s0) d0 in [0, 9] s0 in [0, 9] d0 mod 2 in [0, 0]");
  return !rescale_symbols(map) && map.constraint_count == 1;
}
static_assert(rescale_reports());

static_assert(symbols_to_dims(read("(d0)[s0]{rt0} -> (d0 + s0 * 2 + rt0 * 3) d0 in [0, 3] s0 in [0, 4] rt0 in [0, 5] "
                                   "s0 + rt0 in [1, 2]")) ==
              read("(d0, d1, d2) -> (d0 + d1 * 2 + d2 * 3) d0 in [0, 3] d1 in [0, 4] d2 in [0, 5] d1 + d2 in [1, 2]"));
static_assert(range_vars_to_dims(read("(d0)[s0, s1, s2] -> (d0, s0, s1, s2) d0 in [0, 1] s0 in [0, 2] s1 in [0, 3] "
                                      "s2 in [0, 4]"),
                                 ints{2, 0}) ==
              read("(d0, d1, d2)[s0] -> (d0, d2, s0, d1) d0 in [0, 1] d1 in [0, 4] d2 in [0, 2] s0 in [0, 3]"));
static_assert(range_vars_to_dims(read("()[s0] -> (s0) s0 in [0, 2]"), ints{1}).is_unknown());
static_assert(range_vars_to_dims(read("()[s0] -> (s0) s0 in [0, 2]"), ints{0, 0}).is_unknown());

constexpr interval range_of(std::string_view text) {
  indexing_map map = read(text);
  return expression_range(map, map.result(0));
}
static_assert(range_of("(d0, d1) -> (d0 * 2 + d1) d0 in [0, 9] d1 in [-10, -1]") == interval{-10, 17});
static_assert(range_of("(d0) -> (d0 - (d0 floordiv 8) * 8) d0 in [0, 99]") == interval{0, 7});
static_assert(range_of("(d0, d1) -> ((d0 * 86 + d1) floordiv 64) d0 in [0, 11] d1 in [0, 85] "
                       "d0 * 86 + d1 in [0, 1023]") == interval{0, 15});
static_assert(range_of("(d0) -> (d0) d0 in [0, -1]").is_empty());
static_assert(result_ranges(read("(d0) -> (d0, d0 mod 4) d0 in [0, 9]")).at[1] == interval{0, 3});

// The elements that a map reads, for each tuple of its dimensions.
using random_maps::tuple;
std::map<tuple, std::set<tuple>> elements_of(const random_maps::map& map) {
  std::map<tuple, std::set<tuple>> elements;
  random_maps::for_each_point(map, [&](const tuple& d, const tuple& s) {
    if (in_domain(map, d, s)) elements[d].insert(random_maps::results_of(map, d, s));
  });
  return elements;
}

}  // namespace

TEST_CASE("removing unused variables keeps what is read") {
  random_maps::source random{31};
  int removed_total = 0;
  for (int i = 0; i < 1500; ++i) {
    const random_maps::map map = random_maps::draw_map(random, 2, 1, 2);
    if (!map.is_defined()) continue;
    random_maps::map left = map;
    const auto symbols = remove_unused_symbols(left);
    REQUIRE(verify(left));
    CHECK(left.symbol_count() == map.symbol_count() - symbols.count());
    CHECK(elements_of(left) == elements_of(map));

    random_maps::map fewest = map;
    const auto removed = remove_unused_vars(fewest);
    REQUIRE(verify(fewest));
    removed_total += removed.count();
    std::map<tuple, std::set<tuple>> wanted;
    for (const auto& [d, elements] : elements_of(map)) {
      tuple shortened;
      for (std::size_t k = 0; k < d.size(); ++k)
        if (!removed.dimensions[k]) shortened.push_back(d[k]);
      wanted[shortened].insert(elements.begin(), elements.end());
    }
    CHECK(elements_of(fewest) == wanted);
  }
  CHECK(removed_total > 500);
}

TEST_CASE("rescaling range variables keeps what is read") {
  random_maps::source random{37};
  int changed = 0;
  for (int i = 0; i < 800; ++i) {
    random_maps::map map = random_maps::draw_map(random, 1, 2, 2);
    if (!map.is_defined() || map.range_count == 0) continue;
    for (std::int64_t k = random.draw(1, 2); k > 0; --k) {
      const std::int64_t divisor = random.draw(2, 5);
      map.add_constraint(mod(map.range(0) + random.draw(-2, 2), divisor), indexing::point(random.draw(0, divisor - 1)));
    }
    if (!map.is_defined()) continue;
    random_maps::map rescaled = map;
    changed += rescale_symbols(rescaled) ? 1 : 0;
    REQUIRE(verify(rescaled));
    CHECK(elements_of(rescaled) == elements_of(map));
  }
  CHECK(changed > 200);
}

TEST_CASE("symbols that become dimensions keep their values") {
  random_maps::source random{41};
  for (int i = 0; i < 300; ++i) {
    const random_maps::map map = random_maps::draw_map(random, 2, 2, 2);
    if (!map.is_defined()) continue;
    const random_maps::map all = symbols_to_dims(map);
    const ints last{map.range_count - 1};
    const random_maps::map one = map.range_count > 0 ? range_vars_to_dims(map, last) : map;
    bool same = true;
    random_maps::for_each_point(map, [&](const tuple& d, const tuple& s) {
      tuple both = d;
      both.insert(both.end(), s.begin(), s.end());
      same = same && random_maps::results_of(all, both, {}) == random_maps::results_of(map, d, s) &&
             in_domain(all, both, {}) == in_domain(map, d, s);
      if (map.range_count == 0) return;
      tuple more = d;
      tuple rest = s;
      more.push_back(s[static_cast<std::size_t>(map.range_count - 1)]);
      rest.erase(rest.begin() + map.range_count - 1);
      same = same && random_maps::results_of(one, more, rest) == random_maps::results_of(map, d, s) &&
             in_domain(one, more, rest) == in_domain(map, d, s);
    });
    CHECK(same);
  }
}

TEST_CASE("results do not depend on unused variables, and lie within their ranges") {
  random_maps::source random{43};
  bool contained = true;
  bool independent = true;
  for (int i = 0; i < 1000; ++i) {
    const random_maps::map map = random_maps::draw_map(random, 2, 2, 3);
    if (!map.is_defined()) continue;
    const auto ranges = result_ranges(map);
    const auto needed = used_variables(map);
    random_maps::for_each_point(map, [&](tuple d, const tuple& s) {
      const tuple values = random_maps::results_of(map, d, s);
      if (in_domain(map, d, s))
        for (int k = 0; k < ranges.size; ++k)
          contained = contained && ranges.at[k].contains(values[static_cast<std::size_t>(k)]);
      for (std::size_t k = 0; k < d.size(); ++k)
        if (!needed.dimensions[k]) d[k] += 5;
      independent = independent && random_maps::results_of(map, d, s) == values;
    });
  }
  CHECK(contained);
  CHECK(independent);
}
