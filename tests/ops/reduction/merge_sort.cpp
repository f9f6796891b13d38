// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/merge_sort.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace tenon;

namespace {

// Whether it gives, for keys of which some are equal, what a stable sort does.
bool sorts(index_t count, index_t keys) {
  const auto key = [keys](index_t i) { return i * 37 % 1009 % keys; };
  const auto is_less = [&](index_t a, index_t b) { return key(a) < key(b); };
  std::vector<index_t> order, other;
  order.resize(std::size_t(count)), other.resize(std::size_t(count));
  std::iota(order.begin(), order.end(), index_t(0));
  std::vector<index_t> wanted = order;
  std::sort(wanted.begin(), wanted.end(),
            [&](index_t a, index_t b) { return is_less(a, b) || (!is_less(b, a) && a < b); });
  const index_t* const sorted = merge_sort(order.data(), other.data(), count, is_less);
  return std::equal(wanted.begin(), wanted.end(), sorted);
}

}  // namespace

TEST_CASE("sorts stably, as many as there are") {
  for (index_t count : {0, 1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 200, 1000})
    for (index_t keys : {1, 2, 10, 1009}) {
      CAPTURE(count);
      CAPTURE(keys);
      CHECK(sorts(count, keys));
    }
}

TEST_CASE("a comparison that is no order does no harm") {
  std::vector<index_t> order(100), other(100);
  std::iota(order.begin(), order.end(), index_t(0));
  const index_t* const given = merge_sort(order.data(), other.data(), 100, [](index_t, index_t) { return true; });
  std::vector<index_t> sorted(given, given + 100);
  std::sort(sorted.begin(), sorted.end());
  for (index_t i = 0; i < 100; ++i) CHECK(sorted[std::size_t(i)] == i);
}
