// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/sort/sort.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;

namespace {

// Whether it gives, for keys of which some are equal, what a stable sort does.
bool sorts_stably(index_t count, index_t keys) {
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
  for (index_t count : {0, 1, 2, 7, 8, 9, 16, 17, 32, 63, 64, 65, 200, 1000, 1024})
    for (index_t keys : {1, 2, 10, 1009}) {
      CAPTURE(count);
      CAPTURE(keys);
      CHECK(sorts_stably(count, keys));
    }
}

TEST_CASE("a comparison that is no order does no harm") {
  const auto keeps_all = [](index_t count, auto is_less) {
    std::vector<index_t> order, other;
    order.resize(std::size_t(count)), other.resize(std::size_t(count));
    std::iota(order.begin(), order.end(), index_t(0));
    const index_t* const given = merge_sort(order.data(), other.data(), count, is_less);
    std::vector<index_t> sorted(given, given + count);
    std::sort(sorted.begin(), sorted.end());
    index_t i = 0;
    return std::all_of(sorted.begin(), sorted.end(), [&](index_t each) { return each == i++; });
  };
  for (index_t count : {2, 16, 100, 128, 1000, 1024}) {
    CHECK(keeps_all(count, [](index_t, index_t) { return true; }));
    CHECK(keeps_all(count, [](index_t a, index_t b) { return a < b || b % 7 == 3; }));
    for (index_t odd = 1; odd < 20; odd += 2)
      CHECK(keeps_all(count, [=](index_t a, index_t b) { return (a * 7919 + b * 104729 * odd) % 11 < 5; }));
  }
}
