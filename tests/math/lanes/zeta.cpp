// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/zeta.hpp>

#include <tenon/math/gamma.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE("lanes and scalars give the same bits") {
  tenon::test::check_same_bits_of_two<float>(
      [](auto d, auto x, auto q) { return math::lanes::zeta(d, x, q, math::detail::real_zeta); },
      [](float x, float q) { return math::zeta(x, q); });
  tenon::test::check_same_bits_of_two<float>(
      [](auto d, auto n, auto x) { return math::lanes::polygamma(d, n, x, math::detail::real_polygamma); },
      [](float n, float x) { return math::polygamma(n, x); });
}

TEST_CASE("within one number of the function of f64") {
  std::uint64_t largest = 0;
  // Each takes a sum of f64 for what is compared.
  const std::vector<float> samples = tenon::test::samples<float>();
  for (std::size_t i = 0; i < samples.size(); i += 8) {
    const float q = samples[i];
    for (const float x : {1.0009765625f, 1.5f, 2.0f, 3.0f, 7.75f, 23.5f, 24.5f}) {
      largest = std::max(largest, tenon::test::distance(math::zeta(x, q), float(math::zeta(double(x), double(q)))));
      const float n = std::floor(x);
      largest =
          std::max(largest, tenon::test::distance(math::polygamma(n, q), float(math::polygamma(double(n), double(q)))));
    }
  }
  CHECK(largest <= 1);
}

}  // namespace
