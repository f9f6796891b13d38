// SPDX-License-Identifier: Apache-2.0
//
// Prints the bits of what programs give, for the same source compiled with other flags: an expression, a traced layer,
// a text with a loop, a convolution and products.
#include <tenon/tenon.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>

using namespace tenon;

namespace {

using loop = TENON_PROGRAM(R"(
func.func @main(%x: tensor<4x6xf64>, %w: tensor<6x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf64>, tensor<6x4xf64>) -> tensor<4x4xf64>
  %b:2 = stablehlo.while(%i = %zero, %m = %a) : tensor<i32>, tensor<4x4xf64>
  cond {
    %five = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %square = stablehlo.multiply %m, %a : tensor<4x4xf64>
    %sum = stablehlo.add %square, %m : tensor<4x4xf64>
    %bounded = stablehlo.tanh %sum : tensor<4x4xf64>
    stablehlo.return %next, %bounded : tensor<i32>, tensor<4x4xf64>
  }
  %s = stablehlo.reduce(%b#1 init: %none) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf64>, tensor<f64>) -> tensor<4xf64>
  return %b#1, %s : tensor<4x4xf64>, tensor<4xf64>
})");

using filter = TENON_PROGRAM(R"(
func.func @main(%x: tensor<1x6x6x2xf32>, %w: tensor<3x3x2x3xf32>) -> tensor<1x6x6x3xf32> {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x6x6x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x6x6x3xf32>
  return %y : tensor<1x6x6x3xf32>
})");

constexpr auto layer = trace([](auto x, auto w) { return softmax(matmul(x, w) * x + x); });

template <class T>
void print(const char* name, const T& x) {
  std::printf("%s:", name);
  for (index_t i = 0; i < index_t(T::size); ++i) {
    const double element = x.data()[i];
    std::printf(" %016llx", static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(element)));
  }
  std::printf("\n");
}

}  // namespace

int main() {
  tensor<f64, 4, 6> x;
  tensor<f64, 6, 4> w;
  for (int i = 0; i < 24; ++i) x.data()[i] = 0.37 * (i % 7) - 0.9, w.data()[i] = 1.1 - 0.23 * (i % 5);
  const tensor<f64, 4, 6> y = x * x + exp(x) * 0.3;
  print("expression", y);
  tensor<f64, 4, 4> z;
  for (int i = 0; i < 16; ++i) z.data()[i] = 0.1 * i;
  print("layer", layer(z, z));
  const auto [states, sums] = loop{}(x, w);
  print("states", states);
  print("sums", sums);
  tensor<f32, 1, 6, 6, 2> image;
  tensor<f32, 3, 3, 2, 3> weights;
  for (int i = 0; i < 72; ++i) image.data()[i] = 0.07f * float(i % 11) - 0.3f;
  for (int i = 0; i < 54; ++i) weights.data()[i] = 0.5f - 0.11f * float(i % 9);
  const auto [filtered] = filter{}(image, weights);
  print("convolution", filtered);
}
