// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/tables.hpp>

#include <doctest/doctest.h>

using namespace tenon;

// Entries that are given back in reverse order leave the others to be found.
constexpr bool finds_what_is_left() {
  int memory[8]{};
  const text::slots slots{memory, 8};
  const text::word_key keys[] = {5, 13, 21, 5 + (text::word_key{1} << 40)};
  int taken[4]{};
  for (int i = 0; i < 4; ++i) {
    taken[i] = slots.find(keys[i], [&](int entry) { return keys[entry] == keys[i]; });
    if (memory[taken[i]] != 0) return false;
    memory[taken[i]] = i + 1;
  }
  for (int left = 4; left > 0; --left) {
    for (int i = 0; i < left; ++i)
      if (memory[slots.find(keys[i], [&](int entry) { return keys[entry] == keys[i]; })] != i + 1) return false;
    memory[taken[left - 1]] = 0;
  }
  return true;
}

TEST_CASE("slots") { static_assert(finds_what_is_left()); }
