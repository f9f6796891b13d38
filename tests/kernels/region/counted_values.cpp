// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/region/window_lanes.hpp>

#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::kernels;

namespace {

using values = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<3xi32>) -> (tensor<2x3x4xi32>, tensor<4x1x6xi64>, tensor<5x2x3xi32>, tensor<3x2xi32>, tensor<6xi32>, tensor<6xi8>, tensor<6xf32>, tensor<2x3xi32>) {
    %f = stablehlo.iota dim = 0 : tensor<24xi32>
    %0 = stablehlo.reshape %f : (tensor<24xi32>) -> tensor<2x3x4xi32>
    %w = stablehlo.iota dim = 1 : tensor<4x6xi64>
    %1 = stablehlo.reshape %w : (tensor<4x6xi64>) -> tensor<4x1x6xi64>
    %g = stablehlo.iota dim = 0 : tensor<6xi32>
    %h = stablehlo.reshape %g : (tensor<6xi32>) -> tensor<1x2x3xi32>
    %2 = stablehlo.broadcast_in_dim %h, dims = [0, 1, 2] : (tensor<1x2x3xi32>) -> tensor<5x2x3xi32>
    %3 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xi32>) -> tensor<3x2xi32>
    %v = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %4 = stablehlo.reshape %v : (tensor<2x3xi32>) -> tensor<6xi32>
    %5 = stablehlo.iota dim = 0 : tensor<6xi8>
    %6 = stablehlo.iota dim = 0 : tensor<6xf32>
    %7 = stablehlo.add %v, %v : tensor<2x3xi32>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3x4xi32>, tensor<4x1x6xi64>, tensor<5x2x3xi32>, tensor<3x2xi32>, tensor<6xi32>, tensor<6xi8>, tensor<6xf32>, tensor<2x3xi32>
  })");

// The multiples of result `i`; nothing if it is not counted.
constexpr ints multiples_of_result(int i) {
  constexpr const graph& g = values::code::opened_graph;
  ints multiples;
  const int value = g.yields_of(g.regions[g.functions[0].region])[i];
  return counted_value(g, value, multiples) ? multiples : ints{};
}

static_assert(multiples_of_result(0) == ints{12, 4, 1});
static_assert(multiples_of_result(1) == ints{0, 0, 1});
static_assert(multiples_of_result(2) == ints{0, 3, 1});
static_assert(multiples_of_result(7) == ints{0, 2});

}  // namespace

TEST_CASE("values that are not counted: arguments, narrow numbers, and those that begin again") {
  for (int i = 3; i < 7; ++i) CHECK(multiples_of_result(i).empty());
}
