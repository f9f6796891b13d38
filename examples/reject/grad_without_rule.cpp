// SPDX-License-Identifier: Apache-2.0
//
// expect: tenon: the program has no gradient
// expect: line 3, column 5: grad_reduce_window:

#include <tenon/gradients.hpp>
#include <tenon/programs.hpp>

using net = TENON_PROGRAM(R"(func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 4>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.multiply %a, %b : tensor<f32>
        stablehlo.return %p : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
)");

int main() {
  tenon::tensor<tenon::f32, 4> x{1, 2, 3, 4};
  auto y = tenon::grad(net{})(x);
}
