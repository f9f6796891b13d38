// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/function_reference.hpp>

#include <doctest/doctest.h>

using tenon::core::function_reference;

namespace {

int twice(function_reference<int(int)> function) { return function(function(1)); }

TEST_CASE("one function takes function objects of any type") {
  int calls = 0;
  CHECK(twice([&](int x) { return ++calls, x + 2; }) == 5);
  CHECK(twice([](int x) { return x * 10; }) == 100);
  CHECK(calls == 2);
}

TEST_CASE("a copy refers to the same function") {
  int sum = 0;
  const auto add = [&](int x) { sum += x; };
  const function_reference<void(int)> first = add;
  const function_reference<void(int)> second = first;
  second(3);
  CHECK(sum == 3);
}

static_assert(!std::is_constructible_v<function_reference<int(int)>, void (*)(int)>);
static_assert(!std::is_constructible_v<function_reference<void(int)>, int>);

}  // namespace
