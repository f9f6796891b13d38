// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 10: reduce_c4: 0 <= dimensions < rank(inputs[0])
// expect: line 3, column 10: reduce_c2: element_type(inputs...) = element_type(init_values...)
// expect: line 3, column 12: batch_norm_training_c3: size(scale) = dim(operand, feature_index)

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %z: tensor<f32>) {
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %z: tensor<i32>) {
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
    %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
