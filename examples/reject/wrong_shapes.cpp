// SPDX-License-Identifier: Apache-2.0
//
// expect: add_c1: type(lhs) = type(rhs) = type(result); operands: tensor<2x3xf32>, tensor<3x2xf32>
// expect: wrong_shapes.cpp:13

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  tensor<f32, 3, 2> y{{1, 2}, {3, 4}, {5, 6}};
  tensor<f32, 2, 3> z = x + y;
}
