// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

using namespace tenon;

TEST_CASE("select_and_scatter: many channels at a time, windows that overlap and hang over") {
  using scattered = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<5x6x70xf32>, %y: tensor<3x4x70xf32>, %z: tensor<f32>) -> (tensor<5x6x70xf32>, tensor<5x6x70xf32>) {
      %added = "stablehlo.select_and_scatter"(%x, %y, %z) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %p : tensor<f32>
      }) {window_dimensions = array<i64: 3, 2, 1>, window_strides = array<i64: 2, 2, 1>, padding = dense<[[1, 1], [1, 1], [0, 0]]> : tensor<3x2xi64>} : (tensor<5x6x70xf32>, tensor<3x4x70xf32>, tensor<f32>) -> tensor<5x6x70xf32>
      %mixed = "stablehlo.select_and_scatter"(%x, %y, %z) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.compare GT, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %half = stablehlo.constant dense<0.5> : tensor<f32>
        %less = stablehlo.multiply %a, %half : tensor<f32>
        %p = stablehlo.add %less, %b : tensor<f32>
        stablehlo.return %p : tensor<f32>
      }) {window_dimensions = array<i64: 3, 2, 1>, window_strides = array<i64: 2, 2, 1>, padding = dense<[[1, 1], [1, 1], [0, 0]]> : tensor<3x2xi64>} : (tensor<5x6x70xf32>, tensor<3x4x70xf32>, tensor<f32>) -> tensor<5x6x70xf32>
      return %added, %mixed : tensor<5x6x70xf32>, tensor<5x6x70xf32>
    }
  )");
  tensor<f32, 5, 6, 70> x, wanted, wanted_mixed;
  tensor<f32, 3, 4, 70> y;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 6; ++j)
      for (int c = 0; c < 70; ++c) {
        x(i, j, c) = f32((i * 31 + j * 17 + c * 7) % 9);
        wanted(i, j, c) = wanted_mixed(i, j, c) = 0.25f;
      }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int c = 0; c < 70; ++c) y(i, j, c) = f32((i * 5 + j * 3 + c) % 11) - 5;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int c = 0; c < 70; ++c) {
        int row = -1, column = -1, other_row = -1, other_column = -1;
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 2; ++l) {
            const int a = 2 * i + k - 1, b = 2 * j + l - 1;
            if (a < 0 || a >= 5 || b < 0 || b >= 6) continue;
            if (row < 0 || !(x(row, column, c) >= x(a, b, c))) row = a, column = b;
            if (other_row < 0 || !(x(a, b, c) > x(other_row, other_column, c))) other_row = a, other_column = b;
          }
        wanted(row, column, c) += y(i, j, c);
        f32& mixed = wanted_mixed(other_row, other_column, c);
        mixed = mixed * 0.5f + y(i, j, c);
      }
  const auto [added, mixed] = scattered{}(x, y, tensor<f32>(0.25f));
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 6; ++j)
      for (int c = 0; c < 70; ++c) {
        CHECK(added(i, j, c) == wanted(i, j, c));
        CHECK(mixed(i, j, c) == wanted_mixed(i, j, c));
      }
}
