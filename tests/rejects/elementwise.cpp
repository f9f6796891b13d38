// SPDX-License-Identifier: Apache-2.0
//
// expect: add_c1: type(lhs) = type(rhs) = type(result); operands: tensor<2xf32>, tensor<3xf32>
// expect: elementwise.cpp:20
// expect: and_i1: tensor of boolean or integer type; operands: tensor<2xf32>, tensor<2xf32>
// expect: elementwise.cpp:21
// expect: select_c1: rank(pred) = 0 or shape(pred) = shape(on_true); operands: tensor<3xi1>, tensor<2xf32>, tensor<
// expect: elementwise.cpp:22
// expect: clamp_c3: baseline_element_type(min) = baseline_element_type(operand) = baseline_element_type(max); opera
// expect: elementwise.cpp:23

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2> x;
  tensor<f32, 3> y;
  tensor<i32, 2> i;
  auto sum = x + y;
  auto both = and_(x, x);
  auto chosen = select(tensor<bool, 3>{}, x, x);
  auto bounded = clamp(i, x, i);
}
