// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/owned.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::passes;

namespace {

struct pair_sizes {
  int numbers = 0, letters = 0;
  friend constexpr bool operator==(const pair_sizes&, const pair_sizes&) = default;
};
struct pair {
  table<int> numbers;
  table<char> letters, capitals;  // as many
};
using pair_tables =
    table_list<table_entry<&pair::numbers, &pair_sizes::numbers>, table_entry<&pair::letters, &pair_sizes::letters>,
               table_entry<&pair::capitals, &pair_sizes::letters>>;

template <class Pair>
constexpr void fill(Pair& all) {
  for (int i = 0; i < 2; ++i) all.numbers.push(7 + i);
  all.letters.push('a');
  all.capitals.push('A');
}
constexpr bool holds(const pair& all) {
  return all.numbers.size == 2 && all.numbers[1] == 8 && all.letters.size == 1 && all.letters[0] == 'a' &&
         all.capitals.size == 1 && all.capitals[0] == 'A';
}

constexpr bool stores() {
  stored_tables<pair_tables, pair_sizes{.numbers = 2, .letters = 1}> memory;
  pair all;
  memory.open(all, pair_sizes{});
  fill(all);
  const pair_sizes used = pair_tables::sizes<pair_sizes>(all);
  if (!holds(all) || pair_tables::overflow(all) || used != pair_sizes{2, 1}) return false;
  // What was pushed is there when the memory is opened again, and in a copy.
  pair again, copied;
  memory.open(again, used);
  stored_tables<pair_tables, pair_sizes{.numbers = 5, .letters = 5}> copy;
  copy.take(all);
  copy.open(copied, used);
  all.letters.push('b');
  return holds(again) && holds(copied) && pair_tables::overflow(all) && !pair_tables::overflow(copied);
}
static_assert(stores());

}  // namespace

TEST_CASE("a list of tables says what belongs to each of them") {
  CHECK(stores());
  pair all;
  const owned_tables<pair_tables> memory(all, pair_sizes{.numbers = 2, .letters = 1});
  CHECK(all.numbers.size == 0);
  fill(all);
  CHECK(holds(all));
  CHECK(!pair_tables::overflow(all));
}
