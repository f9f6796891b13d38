// SPDX-License-Identifier: Apache-2.0
//
// expect: add_c1: type(lhs) = type(rhs) = type(result); operands: tensor<8x10xf32>, tensor<10x8xf32>
// expect: wrong_trace.cpp:14
// expect: wrong_trace.cpp:19

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  constexpr auto layer = trace([](auto x, auto w) {
    auto h = tanh(x);
    return h + w;
  });

  tensor<f32, 8, 10> x;
  tensor<f32, 10, 8> w;
  tensor<f32, 8, 10> y = layer(x, w);
}
