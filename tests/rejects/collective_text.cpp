// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 10: all_gather_c1: 0 <= all_gather_dim < rank(operands...)
// expect: line 3, column 10: collective_permute_c2: is_unique(source_target_pairs[:, 0])
// expect: line 3, column 10: all_to_all_c2: dim(operands..., split_dimension) % split_count = 0

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4x4xf32>) {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x8xf32>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4x4xf32>) {
    %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4x4xf32>) {
    %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
