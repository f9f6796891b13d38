// SPDX-License-Identifier: Apache-2.0
//
// expect: tenon: the argument has another element type or shape than the program takes
// expect: tenon::tensor<float, 4>, tenon::tensor<float, 5>
// expect: wrong_argument.cpp:19

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
