// SPDX-License-Identifier: Apache-2.0
//
// expect: line 4, column 12: add_c1: type(lhs) = type(rhs) = type(result)
// expect: line 3, column 13: popcnt_i1: tensor of integer type
// expect: line 3, column 13: compare_c3: compare_type = SIGNED for signed integers, UNSIGNED for unsigned integers

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
    %scaled = stablehlo.multiply %x, %x : tensor<2x3xf32>
    %sum = "stablehlo.add"(%scaled, %y) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4xf32>) {
    %bits = stablehlo.popcnt %x : tensor<4xf32>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) {
    %less = stablehlo.compare LT, %x, %x, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
