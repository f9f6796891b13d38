// SPDX-License-Identifier: Apache-2.0
#include <tenon/indexing/equality.hpp>

#include "random_maps.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr indexing_map read(std::string_view text) { return parse(text).map; }
constexpr bool same(std::string_view a, std::string_view b) {
  const indexing_map x = read(a);
  const indexing_map y = read(b);
  return x == y && y == x && hash(x) == hash(y);
}

static_assert(same("(d0, d1) -> (d0 + d1 * 2 + 3) d0 in [0, 9] d1 in [0, 9]",
                   "(d0, d1) -> (3 + (d1 * 2 + d0)) d0 in [0, 9] d1 in [0, 9]"));
static_assert(same("(d0, d1) -> (min(d0, max(d1, 4)) * d0) d0 in [0, 9] d1 in [0, 9]",
                   "(d0, d1) -> (d0 * min(max(4, d1), d0)) d0 in [0, 9] d1 in [0, 9]"));
static_assert(same("(d0) -> (d0) d0 in [0, 9] d0 mod 2 in [0, 0] d0 mod 3 in [1, 1]",
                   "(d0) -> (d0) d0 in [0, 9] d0 mod 3 in [1, 1] d0 mod 2 in [0, 0]"));
static_assert(!same("(d0) -> (d0) d0 in [0, 9] d0 mod 2 in [0, 0]", "(d0) -> (d0) d0 in [0, 9] d0 mod 2 in [0, 1]"));
static_assert(!same("(d0) -> (d0) d0 in [0, 9]", "(d0) -> (d0) d0 in [0, 8]"));
static_assert(!same("(d0)[s0] -> (d0) d0 in [0, 9] s0 in [0, 1]", "(d0){rt0} -> (d0) d0 in [0, 9] rt0 in [0, 1]"));
static_assert(!same("(d0) -> (d0 floordiv 2) d0 in [0, 9]", "(d0) -> (d0 mod 2) d0 in [0, 9]"));
static_assert(!same("(d0, d1) -> (d0 floordiv d1) d0 in [1, 9] d1 in [1, 9]",
                    "(d0, d1) -> (d1 floordiv d0) d0 in [1, 9] d1 in [1, 9]"));
static_assert(!same("(d0, d1) -> (d0 + d0 + d1) d0 in [1, 9] d1 in [1, 9]",
                    "(d0, d1) -> (d0 + d1 + d1) d0 in [1, 9] d1 in [1, 9]"));
static_assert(unknown_map() == unknown_map() && !(unknown_map() == indexing_map{}));

// The same expression with the operands of commuting operations turned round.
random_maps::handle turned(random_maps::source& random, const random_maps::map& from, std::int16_t id,
                           random_maps::map& to) {
  const node& step = from.nodes[id];
  if (is_leaf(step.op)) return {&to, to.leaf(step.op, step.value)};
  const auto lhs = turned(random, from, step.lhs, to);
  const auto rhs = turned(random, from, step.rhs, to);
  const bool swap = indexing::detail::commutes(step.op) && random.draw(0, 1) == 0;
  return {&to, swap ? to.make(step.op, rhs.id, lhs.id) : to.make(step.op, lhs.id, rhs.id)};
}

}  // namespace

TEST_CASE("turning operands round keeps maps equal, with equal hashes") {
  random_maps::source random{47};
  int different = 0;
  random_maps::map previous;
  for (int i = 0; i < 1000; ++i) {
    const random_maps::map map = random_maps::draw_map(random, 2, 2, 4);
    if (!map.is_defined()) continue;
    random_maps::map other = map;
    other.result_count = 0;
    for (int k = 0; k < map.result_count; ++k) other.add_result(turned(random, map, map.results[k], other));
    if (!other.is_defined()) continue;
    CHECK(other == map);
    CHECK(hash(other) == hash(map));
    different += previous == map ? 0 : 1;
    if (!(previous == map) && previous.is_defined()) CHECK(hash(previous) != hash(map));
    previous = map;
  }
  CHECK(different > 100);
}
