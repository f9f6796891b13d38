// SPDX-License-Identifier: Apache-2.0
#include <tenon/indexing/located.hpp>

#include "random_maps.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace tenon;
using namespace tenon::indexing;

namespace {

using random_maps::map;
using random_maps::tuple;
using located = located_map<map>;

// Every runtime variable comes from somewhere: the number of its source, and a random place.
located draw_located(random_maps::source& random, int dimensions, int results, int first_source) {
  located made{random_maps::draw_map(random, dimensions, results, 1), {}};
  for (int v = 0; v < made.value.runtime_count; ++v) {
    map element;
    element.state = map_state::defined;
    for (int i = 0; i < made.value.dimension_count; ++i) element.add_dimension(made.value.dimension_bounds[i]);
    for (int i = 0; i < made.value.range_count; ++i) element.add_range(made.value.range_bounds[i]);
    element.add_result(random_maps::draw_expression(random, element, 1));
    made.sources.push_back({first_source + v, element});
  }
  return made;
}

// All (dimensions, results, sources with their elements and the values found there).
std::set<tuple> points_of(const located& one) {
  std::set<tuple> result;
  if (!one.value.is_defined()) return result;
  random_maps::for_each_point(one.value, [&](const tuple& d, const tuple& s) {
    if (!constraints_satisfied(one.value, d, s)) return;
    tuple all = d;
    const tuple found = random_maps::results_of(one.value, d, s);
    all.insert(all.end(), found.begin(), found.end());
    for (std::size_t v = 0; v < one.sources.size(); ++v) {
      // The place of a source may depend on the last runtime variables.
      tuple ranges(s.begin(), s.begin() + one.value.range_count);
      ranges.insert(ranges.end(), s.end() - one.sources[v].element.runtime_count, s.end());
      all.push_back(one.sources[v].producer);
      all.push_back(random_maps::results_of(one.sources[v].element, d, ranges).at(0));
      all.push_back(s[static_cast<std::size_t>(one.value.range_count) + v]);
    }
    result.insert(all);
  });
  return result;
}

}  // namespace

TEST_CASE("sources stay with their variables through composition") {
  random_maps::source random{123};
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    const located consumer = draw_located(random, 1, 1, 10), producer = draw_located(random, 1, 1, 20);
    const located both = compose(consumer, producer);
    if (!both.value.is_defined()) continue;
    CHECK(both.sources.size() == producer.sources.size() + consumer.sources.size());
    CHECK(both.value == compose(consumer.value, producer.value));
    // Element by element: the producer's sources at the consumer's results, then the consumer's own.
    std::set<tuple> expected;
    random_maps::for_each_point(consumer.value, [&](const tuple& d, const tuple& sc) {
      if (!constraints_satisfied(consumer.value, d, sc)) return;
      const tuple between = random_maps::results_of(consumer.value, d, sc);
      random_maps::for_each_point(producer.value, [&](const tuple& p, const tuple& sp) {
        if (p != between || !constraints_satisfied(producer.value, p, sp)) return;
        tuple all = d;
        const tuple found = random_maps::results_of(producer.value, p, sp);
        all.insert(all.end(), found.begin(), found.end());
        const auto append = [&](const located& of, const tuple& at, const tuple& s) {
          for (std::size_t v = 0; v < of.sources.size(); ++v) {
            const tuple ranges(s.begin(), s.begin() + of.value.range_count);
            all.push_back(of.sources[v].producer);
            all.push_back(random_maps::results_of(of.sources[v].element, at, ranges).at(0));
            all.push_back(s[static_cast<std::size_t>(of.value.range_count) + v]);
          }
        };
        append(producer, p, sp);
        append(consumer, d, sc);
        expected.insert(all);
      });
    });
    CHECK(points_of(both) == expected);
    ++compared;
  }
  CHECK(compared > 200);
}

TEST_CASE("simplifying keeps what the map relates") {
  random_maps::source random{321};
  for (int i = 0; i < 300; ++i) {
    located before = draw_located(random, 2, 2, 0);
    located after = before;
    simplify_and_prune(after);
    CHECK(after.sources.size() == static_cast<std::size_t>(after.value.is_defined() ? after.value.runtime_count : 0));
    // Dimensions and results alone: symbols may be gone.
    std::set<tuple> first, second;
    const auto collect = [](const map& from, std::set<tuple>& into) {
      if (!from.is_defined()) return;
      random_maps::for_each_point(from, [&](const tuple& d, const tuple& s) {
        if (!constraints_satisfied(from, d, s)) return;
        tuple all = d;
        const tuple found = random_maps::results_of(from, d, s);
        all.insert(all.end(), found.begin(), found.end());
        into.insert(all);
      });
    };
    collect(before.value, first);
    collect(after.value, second);
    CHECK(first == second);
  }
}

TEST_CASE("a set holds every map once") {
  std::vector<located> set;
  const located one{parse<map>("(d0){rt0} -> (d0 + rt0) d0 in [0, 3] rt0 in [0, 1]").map,
                    {{7, parse<map>("(d0) -> (d0) d0 in [0, 3]").map}}};
  located other = one;
  add_unique(set, one);
  add_unique(set, other);
  CHECK(set.size() == 1);
  other.sources[0].producer = 8;
  add_unique(set, other);
  CHECK(set.size() == 2);
  CHECK(!(set[0] == set[1]));
}
