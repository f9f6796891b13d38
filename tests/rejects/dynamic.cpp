// SPDX-License-Identifier: Apache-2.0
//
// expect: dynamic_reshape_c2: size(operand) = size(result); operands: tensor<2x3xf32>, tensor<1xi32>
// expect: dynamic.cpp:18
// expect: dynamic_iota_c1: 0 <= iota_dimension < size(output_shape); operands: tensor<2xi32>
// expect: dynamic.cpp:19
// expect: dynamic_broadcast_in_dim_c5: dim(operand, d) = 1 or dim(operand, d) = dim(result, broadcast_dimensions[d]
// expect: dynamic.cpp:20

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2, 3> x;
  tensor<i32, 2> shape;
  tensor<f32> zero;
  auto flat = dynamic_reshape<ints{5}>(x, tensor<i32, 1>{});
  auto counted = dynamic_iota<i32, ints{2, 3}, 2>(shape);
  auto spread = dynamic_broadcast_in_dim<ints{2, 4}, ints{0, 1}>(x, shape);
}
