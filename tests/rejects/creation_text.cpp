// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 10: iota_c1: 0 <= iota_dimension < rank(output)
// expect: line 3, column 42: integer_constant_c1: is_wellformed(integer_literal, integer_type)
// expect: line 3, column 45: tensor_constant_c2: has_shape(tensor_literal, shape(tensor_type))

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main() {
    %0 = stablehlo.iota dim = 1 : tensor<4xi32>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main() {
    %0 = stablehlo.constant dense<[1, 2, 300]> : tensor<3xi8>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main() {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
