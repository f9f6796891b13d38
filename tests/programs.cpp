// SPDX-License-Identifier: Apache-2.0
#include <tenon/programs.hpp>

#include <doctest/doctest.h>

using namespace tenon;

using net = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %sum = stablehlo.add %x, %x : tensor<4xf32>
    return %sum : tensor<4xf32>
  }
)");
using of_hlo = TENON_PROGRAM(R"(
  x = f32[4] parameter(0)
  ROOT y = f32[4] multiply(x, x)
)");

TEST_CASE("programs from text alone") {
  const tensor<f32, 4> x{1, 2, 3, 4};
  const auto [sum] = net{}(x);
  CHECK(sum(3) == 8);
  const auto [squares] = of_hlo{}(x);
  CHECK(squares(3) == 16);
}
