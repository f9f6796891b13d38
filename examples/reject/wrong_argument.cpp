// SPDX-License-Identifier: Apache-2.0
//
// expect: arguments: number 1 is a tensor<4xf32>, got a tensor<5xf32>
// expect: wrong_argument.cpp:18

#include <tenon/tenon.hpp>

using net = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %sum = stablehlo.add %x, %x : tensor<4xf32>
    return %sum : tensor<4xf32>
  }
)");

int main() {
  tenon::tensor<tenon::f32, 5> x;
  tenon::tensor<tenon::f32, 4> y;
  net{}.into(y)(x);
}
