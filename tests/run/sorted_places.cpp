// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace tenon;

TEST_CASE("what goes with sorted keys goes where they go, equal ones in their order") {
  using sorts = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<2x300xf32>, %y: tensor<2x300xf64>, %z: tensor<2x300xi8>) -> (tensor<2x300xf32>, tensor<2x300xf64>, tensor<2x300xi8>, tensor<2x300xf64>, tensor<2x300xi8>) {
      %up:3 = "stablehlo.sort"(%x, %y, %z) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f64>, %d: tensor<f64>, %e: tensor<i8>, %f: tensor<i8>):
        %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 1 : i64, is_stable = true} : (tensor<2x300xf32>, tensor<2x300xf64>, tensor<2x300xi8>) -> (tensor<2x300xf32>, tensor<2x300xf64>, tensor<2x300xi8>)
      %down:2 = "stablehlo.sort"(%y, %z) ({
      ^bb0(%c: tensor<f64>, %d: tensor<f64>, %e: tensor<i8>, %f: tensor<i8>):
        %less = stablehlo.compare LT, %f, %e : (tensor<i8>, tensor<i8>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<2x300xf64>, tensor<2x300xi8>) -> (tensor<2x300xf64>, tensor<2x300xi8>)
      return %up#0, %up#1, %up#2, %down#0, %down#1 : tensor<2x300xf32>, tensor<2x300xf64>, tensor<2x300xi8>, tensor<2x300xf64>, tensor<2x300xi8>
    }
  )");
  tensor<f32, 2, 300> x;
  tensor<f64, 2, 300> y;
  tensor<i8, 2, 300> z;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 300; ++j) {
      x(i, j) = f32((j * 37 + i * 11) % 101);
      y(i, j) = i * 300 + j;
      z(i, j) = i8((j * 7 + i * 5) % 13);
    }
  const auto [keys, doubles, bytes, columns, column_keys] = sorts{}(x, y, z);
  for (int i = 0; i < 2; ++i) {
    std::vector<int> order(300);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return x(i, a) < x(i, b) || (x(i, a) == x(i, b) && a < b); });
    for (int j = 0; j < 300; ++j) {
      const int from = order[std::size_t(j)];
      CHECK(keys(i, j) == x(i, from));
      CHECK(doubles(i, j) == y(i, from));
      CHECK(bytes(i, j) == z(i, from));
    }
  }
  for (int j = 0; j < 300; ++j) {
    const int first = z(1, j) > z(0, j) ? 1 : 0;
    CHECK(column_keys(0, j) == z(first, j));
    CHECK(columns(0, j) == y(first, j));
    CHECK(columns(1, j) == y(1 - first, j));
  }
}
