// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 5: add_c1: type(lhs) = type(rhs) = type(result)
// expect: line 3, column 10: set_dimension_size_c1: 0 <= dimension < rank(operand)
// expect: line 4, column 10: dynamic_reshape_c4: the operand holds the shape of the result

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) {
    %0 = stablehlo.add %x, %y : tensor<?x3xf32>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) {
    %0 = "stablehlo.set_dimension_size"(%x, %n) <{dimension = 2 : i64}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>) {
    %n = stablehlo.constant dense<[5]> : tensor<1xi32>
    %0 = stablehlo.dynamic_reshape %x, %n : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
    return
  }
)");

int main() {
  first{}(tenon::tensor<float, 2, 3>(), tenon::tensor<float, 4, 3>());
  second{}();
  third{}();
}
