// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

using namespace tenon;

TEST_CASE("tensors and expressions alone") {
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  const tensor<f32, 3> y{10, 20, 30};
  const tensor<f32, 2, 3> z = x * broadcast<ints{2, 3}>(y) + 2 * abs(-x);
  CHECK(z(1, 2) == 192);

  constexpr auto doubled = trace([](auto a) { return a + a; });
  const tensor<f32, 3> twice = doubled(y);
  CHECK(twice(1) == 40);
}
