// SPDX-License-Identifier: Apache-2.0
#include "random_maps.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::indexing;

namespace {

static_assert(indexing_map{}.is_undefined());
static_assert(unknown_map().is_unknown());
static_assert(identity_map({4, 5}).is_defined() && identity_map({4, 5}).node_count == 2);
static_assert(identity_map({4, 0}).is_known_empty() && identity_map({4, 0}).result_count == 2);
static_assert(map_over({4, 5}).dimension_bounds[1] == interval{0, 4} && map_over({4, 5}).result_count == 0);

constexpr indexing_map example() {
  indexing_map map;
  const auto d = map.add_dimension({0, 9});
  const auto s = map.add_range({1, 3});
  const auto rt = map.add_runtime({0, 1});
  map.add_result(d * 8 + s - 2);
  map.add_result(maximum(floordiv(d, 3), mod(-d, 4)) + minimum(s, rt));
  map.add_constraint(d + s, {2, 7});
  return map;
}
static_assert(verify(example()));
static_assert(evaluate(example(), ints{5}, ints{3, 1}) == evaluate(example(), ints{5}, ints{3, 1}));
static_assert(evaluate(example(), ints{5}, ints{3, 1})[0] == 41 && evaluate(example(), ints{5}, ints{3, 1})[1] == 4);
static_assert(constraints_satisfied(example(), ints{4}, ints{3, 0}) &&
              !constraints_satisfied(example(), ints{5}, ints{3, 0}));
static_assert(constraints_satisfied(example(), ints{-9}, ints{12, 0}));
static_assert(in_domain(example(), ints{4}, ints{3, 0}) && !in_domain(example(), ints{-9}, ints{12, 0}));
static_assert(!in_domain(example(), ints{4}, ints{3}));

// Constants are folded while an expression is built.
constexpr bool folds() {
  indexing_map map = map_over({4});
  const auto d = map.dimension(0);
  return (d + 0).id == d.id && (d * 1).id == d.id && floordiv(d, 1).id == d.id && mod(d, 1).id == map.constant(0).id &&
         (d * 0).id == map.constant(0).id && ((d + 2) + 3).id == (d + 5).id && ((d * 2) * 3).id == (d * 6).id &&
         ((d + 2) * 3).id == (d * 3 + 6).id && (map.constant(2) + d).id == (d + 2).id;
}
static_assert(folds());

// Constraints on constants and plain variables leave no constraint behind.
constexpr indexing_map constrained(std::int64_t constant, interval bounds) {
  indexing_map map = identity_map({10});
  map.add_constraint(map.constant(constant), {0, 3});
  map.add_constraint(map.dimension(0), bounds);
  return map;
}
static_assert(constrained(3, {2, 20}).constraint_count == 0 &&
              constrained(3, {2, 20}).dimension_bounds[0] == interval{2, 9});
static_assert(constrained(4, {2, 20}).is_known_empty() && constrained(3, {12, 20}).is_known_empty());

// What does not fit, or names a variable that is not there, makes the map unknown.
constexpr auto too_many_nodes() {
  basic_indexing_map<4, 2, 2, 2> map;
  auto sum = map.add_dimension({0, 9}) * map.add_dimension({0, 9});
  for (int i = 0; i < 9; ++i) sum = mod(sum * sum, 5 + i);
  map.add_result(sum);
  return map;
}
static_assert(too_many_nodes().is_unknown());
constexpr auto no_such_variable(std::int64_t i) {
  indexing_map map = map_over({4});
  map.add_result(map.dimension(i) + 1);
  return map;
}
static_assert(no_such_variable(0).is_defined() && no_such_variable(1).is_unknown() &&
              no_such_variable(-1).is_unknown());
constexpr auto too_many_dimensions() {
  basic_indexing_map<8, 2, 1, 1> map;
  for (int i = 0; i < 3; ++i) map.add_dimension({0, 1});
  return map;
}
static_assert(too_many_dimensions().is_unknown());

constexpr bool node_sets() {
  indexing_map map = example();
  map.constraint_count = 0;
  map.result_count = 1;
  remove_unused_nodes(map);
  return map.node_count == 7 && verify(map) && evaluate(map, ints{5}, ints{3, 1})[0] == 41;
}
static_assert(node_sets());

}  // namespace

TEST_CASE("intervals of nodes contain their values, and a domain is bounds and constraints") {
  random_maps::source random{17};
  bool contained = true;
  bool agrees = true;
  for (int i = 0; i < 400; ++i) {
    const random_maps::map map = random_maps::draw_map(random, 2, 2, 3);
    if (!map.is_defined()) continue;
    REQUIRE(verify(map));
    const auto ranges = node_ranges(map);
    random_maps::for_each_point(map, [&](const random_maps::tuple& d, const random_maps::tuple& s) {
      const auto values = evaluate_nodes(map, d, s);
      for (int k = 0; k < map.node_count; ++k) contained = contained && ranges.at[k].contains(values.at[k]);
      agrees = agrees && in_domain(map, d, s) == constraints_satisfied(map, d, s);
    });
  }
  CHECK(contained);
  CHECK(agrees);
}

TEST_CASE("removing unused nodes keeps every result and constraint") {
  random_maps::source random{18};
  for (int i = 0; i < 300; ++i) {
    random_maps::map map = random_maps::draw_map(random, 2, 2, 3);
    if (!map.is_defined()) continue;
    map.result_count = 1;
    random_maps::map left = map;
    remove_unused_nodes(left);
    CHECK(left.node_count <= map.node_count);
    REQUIRE(verify(left));
    bool same = true;
    random_maps::for_each_point(map, [&](const random_maps::tuple& d, const random_maps::tuple& s) {
      same = same && random_maps::results_of(map, d, s) == random_maps::results_of(left, d, s) &&
             in_domain(map, d, s) == in_domain(left, d, s);
    });
    CHECK(same);
  }
}

TEST_CASE("the value of a node is that of its operation") {
  static_assert(is_leaf(operation::constant) && !is_variable(operation::constant));
  for (const operation op : {operation::dimension, operation::range, operation::runtime})
    CHECK((is_leaf(op) && is_variable(op)));
  for (const operation op : {operation::add, operation::multiply, operation::floordiv, operation::mod,
                             operation::minimum, operation::maximum})
    CHECK((!is_leaf(op) && !is_variable(op)));
  static_assert(apply(operation::add, 7, -2) == 5 && apply(operation::multiply, 7, -2) == -14);
  static_assert(apply(operation::floordiv, 7, -2) == -4 && apply(operation::mod, 7, -2) == -1);
  static_assert(apply(operation::minimum, 7, -2) == -2 && apply(operation::maximum, 7, -2) == 7);
  static_assert(unknown_map().is_unknown());
  static_assert(point(3).contains(3) && !point(3).contains(2) && !point(3).contains(4));
  random_maps::source random{19};
  for (int i = 0; i < 100; ++i) {
    const random_maps::map map = random_maps::draw_map(random, 2, 2, 3);
    random_maps::for_each_point(map, [&](const random_maps::tuple& d, const random_maps::tuple& s) {
      const auto values = evaluate_nodes(map, d, s);
      for (int n = 0; n < map.node_count; ++n) {
        const node& step = map.nodes[n];
        if (is_leaf(step.op)) continue;
        REQUIRE(values.at[n] == apply(step.op, values.at[step.lhs], values.at[step.rhs]));
      }
    });
  }
}
