// SPDX-License-Identifier: Apache-2.0
//
// expect: if_i1: pred: 0-dimensional tensor of type i1; operands: tensor<i32>
// expect: control.cpp:17
// expect: while_c1: cond: (T0, ..., TN-1) -> tensor<i1>, where Ti = type(operand[i]); operands: tensor<2xf32>
// expect: control.cpp:18
// expect: map_c3: dimensions = range(rank(inputs[0])); operands: tensor<2xf32>
// expect: control.cpp:19

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2> x;
  tensor<i32> i;
  auto chosen = if_(i, [] { return iota<f32, ints{2}>(); }, [] { return iota<f32, ints{2}>(); });
  auto last = while_(x, [](auto a) { return a; }, [](auto a) { return a; });
  auto mapped = map<ints{1}>(x, [](auto a) { return a; });
}
