// SPDX-License-Identifier: Apache-2.0
//
// expect: broken_rule
// expect: line 4, column 12: add_c1: type(lhs) = type(rhs) = type(result); %sum =

#include <tenon/tenon.hpp>

using net = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<2x3xf32> {
    %scaled = stablehlo.multiply %x, %x : tensor<2x3xf32>
    %sum = "stablehlo.add"(%scaled, %y) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
    return %sum : tensor<2x3xf32>
  }
)");

int main() {
  tenon::tensor<tenon::f32, 2, 3> x, z;
  tenon::tensor<tenon::f32, 3, 2> y;
  net{}.into(z)(x, y);
}
