// SPDX-License-Identifier: Apache-2.0
#include <tenon/epilogues/integer_product.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tenon;
using namespace tenon::core;

TEST_CASE("rows of a product go to what follows it, some at a time") {
  constexpr index_t m = 5, n = 6, k = 7;
  std::vector<std::int8_t> a, b;
  for (index_t i = 0; i < m * k; ++i) a.push_back(std::int8_t(i * 37 % 251 - 120));
  for (index_t i = 0; i < n * k; ++i) b.push_back(std::int8_t(i * 91 % 253 - 126));
  std::vector<std::int32_t> expected(std::size_t(m * n));
  const integer_factors<std::int8_t> factors(a.data(), b.data(), k, 1, k, 1, k);
  multiply_integers<std::int8_t>(m, n, factors, expected.data(), n, false);
  for (index_t most : {n, n + 5, 2 * n, 4 * n + 1, m * n}) {
    CAPTURE(most);
    std::vector<std::int32_t> given, sums(static_cast<std::size_t>(most));
    const auto take = [&](index_t first, index_t last) {
      CHECK(first == index_t(given.size()));
      given.insert(given.end(), sums.begin(), sums.begin() + (last - first));
    };
    using taker = decltype(take);
    multiply_integers<std::int8_t>(
        m, n, factors, sums.data(),
        {[](const void* to, index_t first, index_t last) { (*static_cast<const taker*>(to))(first, last); }, &take,
         most});
    CHECK(given == expected);
  }
}
