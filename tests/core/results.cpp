// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/results.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace tenon {
namespace {

// What can only be moved, as large tensors mostly are.
struct owned {
  int value = 0;
  explicit owned(int number) : value(number) {}
  owned(owned&&) = default;
  owned& operator=(owned&&) = default;
};

constexpr results pair(1, 2.5);
static_assert(std::is_same_v<decltype(pair), const results<int, double>>);
static_assert(std::tuple_size_v<results<int, double>> == 2);
static_assert(std::is_same_v<std::tuple_element_t<1, results<int, double>>, double>);
static_assert([] {
  const auto [first, second] = pair;
  return first == 1 && second == 2.5;
}());

TEST_CASE("results are taken apart, and moved") {
  results both(owned(3), owned(4));
  auto [first, second] = std::move(both);
  CHECK(first.value == 3);
  CHECK(second.value == 4);
  int count = 0;
  std::apply([&](const auto&... each) { count = (each + ...); }, results(1, 2, 3));
  CHECK(count == 6);
}

}  // namespace
}  // namespace tenon
