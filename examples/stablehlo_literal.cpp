// SPDX-License-Identifier: Apache-2.0
//
// A StableHLO program as a string literal: parsed, verified, fused and planned by the C++ compiler.

#include <tenon/tenon.hpp>

using namespace tenon;

using net = TENON_PROGRAM(R"(
  func.func @main(%image: tensor<4xf32>, %weights: tensor<4x2xf32>) -> tensor<2xf32> {
    %scores = stablehlo.dot_general %image, %weights, contracting_dims = [0] x [0]
        : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
    %result = stablehlo.maximum %scores, %zero : tensor<2xf32>
    return %result : tensor<2xf32>
  }
)");
static_assert(net::arena_bytes <= 1024);

int main() {
  tensor<f32, 4> image{1, 2, 3, 4};
  tensor<f32, 4, 2> weights{{1, -1}, {1, -1}, {1, -1}, {1, -1}};

  auto [scores] = net{}(image, weights);
  print(scores);
}
