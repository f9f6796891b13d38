// SPDX-License-Identifier: Apache-2.0
#include <tenon/programs.hpp>

#include <cstdio>

using namespace tenon;

using net = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<8x48xf32>, %w: tensor<48x40xf32>, %b: tensor<40xi32>) -> (tensor<8xf32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<-2147483648> : tensor<i32>
    %product = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x48xf32>, tensor<48x40xf32>) -> tensor<8x40xf32>
    %twice = stablehlo.add %product, %product : tensor<8x40xf32>
    %sums = stablehlo.reduce(%twice init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x40xf32>, tensor<f32>) -> tensor<8xf32>
    %largest = stablehlo.reduce(%b init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<40xi32>, tensor<i32>) -> tensor<i32>
    return %sums, %largest : tensor<8xf32>, tensor<i32>
  }
)");

// Small numbers, so that every sum is exact.
int main() {
  static tensor<f32, 8, 48> x;
  static tensor<f32, 48, 40> w;
  tensor<i32, 40> b;
  for (index_t i = 0; i < 8 * 48; ++i) x.data()[i] = f32(i % 7 - 3);
  for (index_t i = 0; i < 48 * 40; ++i) w.data()[i] = f32(i % 5 - 1);
  for (index_t i = 0; i < 40; ++i) b.data()[i] = i32(i * 29 % 40);
  const auto [sums, largest] = net{}(x, w, b);
  int wrong = *largest.data() != 39;
  for (index_t i = 0; i < 8; ++i) {
    f32 expected = 0;
    for (index_t k = 0; k < 48; ++k)
      for (index_t j = 0; j < 40; ++j) expected += 2 * x(i, k) * w(k, j);
    wrong += sums(i) != expected;
  }
  std::printf("%d wrong\n", wrong);
  return wrong;
}
