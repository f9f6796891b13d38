// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 10: dynamic_slice_c4: 0 <= slice_sizes <= shape(operand)
// expect: line 3, column 10: gather_c1: rank(operand) = size(offset_dims) + size(collapsed_slice_dims) + size(opera
// expect: line 3, column 10: dynamic_update_slice_c6: 0 <= shape(update) <= shape(operand)

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %i: tensor<i32>) {
    %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [3, 1] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x1xf32>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %i: tensor<i32>, %u: tensor<2x4xf32>) {
    %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
