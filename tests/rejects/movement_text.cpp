// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 10: transpose_c2: permutation is a permutation of range(rank(operand))
// expect: line 3, column 10: reshape_c2: size(operand) = size(result)
// expect: line 3, column 10: slice_c3: 0 <= start_indices <= limit_indices <= shape(operand)

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>) {
    %0 = stablehlo.transpose %x, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>) {
    %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<7xf32>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>) {
    %0 = stablehlo.slice %x [0:2, 1:4] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
