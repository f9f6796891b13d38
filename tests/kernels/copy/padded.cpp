// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/copy/joined_and_padded.hpp>

#include <tenon/ops/movement/pad.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>
#include <shared/inference.hpp>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
void check(const ints& operand, const ops::pad& op, const T& padding) {
  const value from = counting<T>(operand), number = scalar_of<T>(padding);
  const tensor_type type = result_type(op, {from.type, number.type});
  REQUIRE(type.element == dtype_of<T>);
  evaluate_alike<T>(&pad_kernel<ops::pad, bytes_like<T>>, op, {from, number}, {type});
}

template <class T>
void check_all(const T& padding) {
  const auto box = [&](const ints& operand, const ints& low, const ints& high) {
    check(operand, {low, high, ints::filled(operand.size, 0)}, padding);
  };
  for (const index_t low : {-3, -1, 0, 1, 70})
    for (const index_t high : {-2, 0, 1, 65}) {
      box({150}, {low}, {high});
      box({5, 130}, {2, low}, {-1, high});
      box({4, 5, 40}, {1, low, 0}, {-1, high, 0});
      box({6, 4, 5, 9}, {low, 1, -1, 0}, {high, -1, 1, 0});
      box({2, 6, 1, 33}, {0, low, 0, high}, {0, high, 0, low});
    }
  box({0, 130}, {2, 1}, {1, 1});
  box({4, 130}, {-4, 1}, {3, 0});
  box({4, 130}, {-4, 1}, {0, 0});
  for (const index_t interior : {0, 1, 3})
    for (index_t low = -7; low <= 3; ++low)
      for (index_t high = -7; high <= 2; ++high)
        if (4 * (interior + 1) + 1 + low + high >= 0) check({5, 3}, {{low, 1}, {high, -1}, {interior, 1}}, padding);
}

}  // namespace

TEST_CASE("boxes in rows of all lengths, and elements apart from each other") {
  check_all<ui8>(9);
  check_all<ui16>(9);
  check_all<i32>(9);
  check_all<f64>(9);
  check_all<complex<f64>>({9, 9});
}

TEST_CASE("enormous padding that cancels out") {
  constexpr index_t huge = INT64_MAX;
  check<i32>({1}, {{-huge}, {huge}, {huge}}, 9);
  check<i32>({1}, {{1}, {1}, {huge}}, 9);
}
