// SPDX-License-Identifier: Apache-2.0
//
// expect: assignment: a tensor<8x9xf32> cannot hold a tensor<8x10xf32>
// expect: wrong_assignment.cpp:14

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  constexpr auto layer = trace([](auto x, auto w) { return relu(dot(x, w)); });
  tensor<f32, 8, 784> x;
  tensor<f32, 784, 10> w;
  tensor<f32, 8, 9> y = layer(x, w);
}
