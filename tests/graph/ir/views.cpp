// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/views.hpp>

#include <shared/read_program.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::planning;

TEST_CASE("a value is what it is a view of") {
  const graph_owner owner = read_program(R"(
    func.func @main(%a: tensor<6xf32>, %b: tensor<2xf32>) -> tensor<3x2xf32> {
      %c = stablehlo.constant dense<1.0> : tensor<6xf32>
      %n = stablehlo.negate %a : tensor<6xf32>
      %s = stablehlo.reshape %n : (tensor<6xf32>) -> tensor<2x3xf32>
      %t:2 = stablehlo.optimization_barrier %b, %s : tensor<2xf32>, tensor<2x3xf32>
      %u = stablehlo.reshape %t#1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
      return %u : tensor<3x2xf32>
    })");
  REQUIRE(!owner.error());
  const graph& g = owner.program();
  const auto result = [&](int node, int i) { return g.nodes[node].results + i; };
  CHECK(is_constant(g.nodes[0]));
  CHECK(!is_constant(g.nodes[1]));
  CHECK(constant_of(g, result(0, 0))->results == g.nodes[0].results);
  CHECK(!constant_of(g, result(1, 0)));
  const int a = g.regions[0].arguments, b = a + 1;
  CHECK(!constant_of(g, a));
  CHECK(root_of(g, a) == a);
  CHECK(root_of(g, result(1, 0)) == result(1, 0));
  CHECK(root_of(g, result(2, 0)) == result(1, 0));
  CHECK(root_of(g, result(3, 0)) == b);
  CHECK(root_of(g, result(4, 0)) == result(1, 0));
}
