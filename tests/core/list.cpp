// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/list.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::core;

constexpr int numbers[] = {4, 5, 6};
constexpr list<int> all{numbers, 3};

static_assert(all[0] == 4 && all[2] == 6 && all[3] == 0 && all[-1] == 0 && list<int>{}.empty());
static_assert(all.part(1, 2) == list<int>{numbers + 1, 2} && all.part(3, 0).empty());
static_assert(all.part(1, 3).empty() && all.part(-1, 2).empty() && all.part(2, -1).empty());
static_assert(!(all.part(0, 2) == all) && !(all.part(0, 2) == all.part(1, 2)));

// A full table refuses, and says so.
static_assert([] {
  int memory[2]{};
  table<int> kept{memory, 0, 2};
  const bool positions = kept.push(7) == 0 && kept.push(8) == 1;
  const bool before = kept.overflow;
  return positions && !before && kept.push(9) == 1 && kept.overflow && kept.size == 2 && kept[1] == 8;
}());
static_assert([] {
  table<int> nothing;
  return nothing.push(1) == 0 && nothing.overflow && nothing.size == 0;
}());

}  // namespace

TEST_CASE("a table is walked in order") {
  int memory[3]{};
  table<int> kept{memory, 0, 3};
  for (int value : all) kept.push(value * 2);
  int sum = 0;
  for (int value : kept) sum = sum * 100 + value;
  CHECK(sum == 81012);
  CHECK(kept.part(1, 2) == list<int>{memory + 1, 2});
}
