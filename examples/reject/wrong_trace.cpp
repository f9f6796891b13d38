// SPDX-License-Identifier: Apache-2.0
//
// expect gcc: add_c1: type(lhs) = type(rhs) = type(result); operands: tensor<8x10xf32>, tensor<10x8xf32>
// expect clang: (false, &"add_c1"[0], &"type(lhs) = type(rhs) = type(result)"[0],
// expect clang: {&"f32"[0], 2, {8, 10}}, {&"f32"[0], 2, {10, 8}})
// expect: wrong_trace.cpp:16
// expect: wrong_trace.cpp:21

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
