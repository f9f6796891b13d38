// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 10: while_c1: cond: (T0, ..., TN-1) -> tensor<i1>, where Ti = type(operand[i])
// expect: line 3, column 10: if_i1: pred: 0-dimensional tensor of type i1
// expect: line 3, column 5: call_c1: callee is a function of the module

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%n: tensor<i32>) {
    %0 = stablehlo.while(%i = %n) : tensor<i32> cond {
      stablehlo.return %i : tensor<i32>
    } do {
      stablehlo.return %i : tensor<i32>
    }
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%p: tensor<2xi1>, %x: tensor<f32>) {
    %0 = "stablehlo.if"(%p) ({
      stablehlo.return %x : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<2xi1>) -> tensor<f32>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<f32>) {
    %0 = call @elsewhere(%x) : (tensor<f32>) -> tensor<f32>
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
