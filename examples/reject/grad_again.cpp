// SPDX-License-Identifier: Apache-2.0
//
// expect: tenon: the program has no gradient
// expect: line 8, column 11: grad_again: a loop or a branch that is computed again draws or receives other numbers

#include <tenon/gradients.hpp>
#include <tenon/programs.hpp>

using net = TENON_PROGRAM(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %shape = stablehlo.constant dense<> : tensor<0xi64>
    %positive = stablehlo.compare GT, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %y = "stablehlo.if"(%positive) ({
          // Dropped at random.
          %u = stablehlo.rng %zero, %one, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
          %v = stablehlo.multiply %u, %x : tensor<f32>
          stablehlo.return %v : tensor<f32>
      }, {
          stablehlo.return %x : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
    return %y : tensor<f32>
  }
)");

int main() {
  tenon::tensor<tenon::f32> x{1};
  auto y = tenon::grad(net{})(x);
}
