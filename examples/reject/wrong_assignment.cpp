// SPDX-License-Identifier: Apache-2.0
//
// expect: tenon: what is assigned has another element type or shape than the tensor that receives it
// expect: tenon::tensor<float, 8, 9>, tenon::tensor<float, 8, 10>
// expect: wrong_assignment.cpp:15

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  constexpr auto layer = trace([](auto x, auto w) { return relu(dot(x, w)); });
  tensor<f32, 8, 784> x;
  tensor<f32, 784, 10> w;
  tensor<f32, 8, 9> y = layer(x, w);
}
