// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/plan/arena.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace {

using namespace tenon;
using namespace tenon::planning;

static_assert(arena_allocator::rounded(0) == 0 && arena_allocator::rounded(1) == 64 &&
              arena_allocator::rounded(64) == 64);

// What was given back is taken again, the smallest hole that is large enough first.
static_assert([] {
  arena_allocator arena;
  const index_t a = arena.take(256), b = arena.take(64), c = arena.take(128), d = arena.take(64);
  arena.give_back(a, 256);
  arena.give_back(c, 128);
  const bool best = arena.take(100) == c && arena.take(200) == a;
  return b == 256 && d == 448 && best && arena.hole_count() == 0 && arena.peak() == 512;
}());

// Neighbours become one hole, and a hole at the end none.
static_assert([] {
  arena_allocator arena;
  const index_t a = arena.take(64), b = arena.take(64), c = arena.take(64), d = arena.take(64);
  arena.give_back(a, 64);
  arena.give_back(c, 64);
  const bool two = arena.hole_count() == 2;
  arena.give_back(b, 64);
  const bool one = arena.hole_count() == 1;
  arena.give_back(d, 64);
  return two && one && arena.hole_count() == 0 && arena.take(256) == 0 && arena.peak() == 256;
}());

static_assert([] {
  arena_allocator arena;
  return arena.take(0) == 0 && arena.peak() == 0;
}());

}  // namespace

TEST_CASE("ranges in use never overlap") {
  struct range {
    index_t start, bytes;
  };
  std::mt19937 random(1);
  arena_allocator arena;
  std::vector<range> used;
  for (int step = 0; step < 5000; ++step) {
    if (used.empty() || random() % 5 < 3) {
      const index_t bytes = index_t(random() % 2000 + 1), start = arena.take(bytes);
      CHECK(start % arena_allocator::alignment == 0);
      for (const range& other : used) {
        const bool apart = start + bytes <= other.start || other.start + other.bytes <= start;
        CHECK(apart);
      }
      CHECK(start + bytes <= arena.peak());
      used.push_back({start, bytes});
    } else {
      const std::size_t chosen = random() % used.size();
      arena.give_back(used[chosen].start, used[chosen].bytes);
      used[chosen] = used.back();
      used.pop_back();
    }
    if (used.size() > 100) {
      for (const range& each : used) arena.give_back(each.start, each.bytes);
      used.clear();
    }
  }
}
