// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

using namespace tenon;

TEST_CASE("single elements are combined one after the other, whatever the body is") {
  using scatters = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<300xf32>, %i: tensor<900x1xi32>, %u: tensor<900xf32>) -> (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) {
      %replaced = "stablehlo.scatter"(%x, %i, %u) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        stablehlo.return %b : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<300xf32>, tensor<900x1xi32>, tensor<900xf32>) -> tensor<300xf32>
      %added = "stablehlo.scatter"(%x, %i, %u) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<300xf32>, tensor<900x1xi32>, tensor<900xf32>) -> tensor<300xf32>
      %taken = "stablehlo.scatter"(%x, %i, %u) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %rest = stablehlo.subtract %b, %a : tensor<f32>
        stablehlo.return %rest : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<300xf32>, tensor<900x1xi32>, tensor<900xf32>) -> tensor<300xf32>
      %mixed = "stablehlo.scatter"(%x, %i, %u) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %half = stablehlo.constant dense<0.5> : tensor<f32>
        %less = stablehlo.multiply %a, %half : tensor<f32>
        %sum = stablehlo.add %less, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<300xf32>, tensor<900x1xi32>, tensor<900xf32>) -> tensor<300xf32>
      return %replaced, %added, %taken, %mixed : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
    }
  )");
  tensor<f32, 300> x;
  tensor<i32, 900, 1> at;
  tensor<f32, 900> update;
  for (int i = 0; i < 300; ++i) x(i) = f32(i);
  for (int i = 0; i < 900; ++i) {
    // Runs of equal places, places far apart, and places outside.
    at(i, 0) = i < 100 ? 7 : i < 500 ? (i * 97) % 310 - 5 : i % 3 * 100;
    update(i) = f32(i % 17) - 5;
  }
  tensor<f32, 300> replaced = x, added = x, taken = x, mixed = x;
  for (int i = 0; i < 900; ++i) {
    const i32 to = at(i, 0);
    if (to < 0 || to >= 300) continue;
    replaced(to) = update(i);
    added(to) = added(to) + update(i);
    taken(to) = update(i) - taken(to);
    mixed(to) = mixed(to) * 0.5f + update(i);
  }
  const auto [first, second, third, fourth] = scatters{}(x, at, update);
  for (int i = 0; i < 300; ++i) {
    CHECK(first(i) == replaced(i));
    CHECK(second(i) == added(i));
    CHECK(third(i) == taken(i));
    CHECK(fourth(i) == mixed(i));
  }
}
