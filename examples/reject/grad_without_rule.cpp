// SPDX-License-Identifier: Apache-2.0
//
// expect: tenon: the program has no gradient
// expect: line 3, column 5: grad_bessel_i1e: its derivative needs the function of order 0, which is no op

#include <tenon/gradients.hpp>
#include <tenon/programs.hpp>

using net = TENON_PROGRAM(R"(func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
)");

int main() {
  tenon::tensor<tenon::f32, 4> x{1, 2, 3, 4};
  auto y = tenon::grad(net{})(x);
}
