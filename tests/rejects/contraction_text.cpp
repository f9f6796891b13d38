// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 10: dot_general_c10: dim(lhs, lhs_contracting_dimensions...) = dim(rhs, rhs_contracting_di
// expect: line 3, column 10: cholesky_c3: dim(a, -2) = dim(a, -1)
// expect: line 3, column 10: convolution_c14: dim(rhs, kernel_input_feature_dimension) = dim(lhs, input_feature_dim

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>) {
    %0 = stablehlo.cholesky %x, lower = true : tensor<2x3xf32>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x2x4xf32>) {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
