// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/broadcast.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::stablehlo_programs;

TEST_CASE("ops of CHLO that are ops of StableHLO") {
  const graph_owner tangent = read_program(body(two, "%0 = chlo.tan %a : tensor<2x3xf32> -> tensor<2x3xf32>"));
  REQUIRE(!tangent.error());
  CHECK(tangent.program().nodes.data[0].kind == kind_of_op<ops::tan>);
  CHECK(label_of(body("", "%0 = chlo.constant dense<1> : tensor<3xi32>")) == "");
  const auto like = [](std::string_view value, std::string_view type) {
    return label_of(body(two, "%0 = \"chlo.constant_like\"(%a) <{value = " + std::string(value) +
                                  "}> : (tensor<2x3xf32>) -> tensor<" + std::string(type) + ">"));
  };
  CHECK(like("3.2 : f32", "2x3xf32") == "");
  CHECK(like("-7 : i32", "2x3xi32") == "");
  CHECK(like("3.2 : f32", "3x2xf32") == "constant_like_c1");
  CHECK(like("3.2 : f32", "2x3xf64") == "constant_like_c2");
  CHECK(like("3.2 : i32", "2x3xi32") != "");
  CHECK(label_of(body(two, "%0 = \"chlo.constant_like\"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>")) == "attribute");
  const std::string_view shapes = "%a: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<2x1xf32>, %e: tensor<2xf32>";
  const graph_owner sum = read_program(
      body(shapes, "%0 = chlo.broadcast_add %c, %d : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>"));
  REQUIRE(!sum.error());
  const graph& g = sum.program();
  REQUIRE(g.nodes.size == 3);
  for (int i = 0; i < 2; ++i) {
    const graph_node& node = g.nodes.data[i];
    CHECK(node.kind == kind_of_op<ops::broadcast_in_dim>);
    const auto spread = read_attributes<ops::broadcast_in_dim>(g.words.data + node.words);
    CHECK(spread.broadcast_dimensions == (i == 0 ? ints{1} : ints{0, 1}));
  }
  CHECK(g.nodes.data[2].kind == kind_of_op<ops::add>);
  const auto label = [&](std::string_view op) { return label_of(body(shapes, op)); };
  CHECK(label("%0 = chlo.broadcast_add %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>") == "");
  CHECK(label("%0 = chlo.broadcast_multiply %a, %e {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, "
              "tensor<2xf32>) -> tensor<2x3xf32>") == "");
  CHECK(label("%0 = \"chlo.broadcast_compare\"(%a, %c) <{comparison_direction = #chlo<comparison_direction LT>}> : "
              "(tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>") == "");
  CHECK(label("%0 = chlo.broadcast_add %a, %e : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>") ==
        "chlo_broadcast_c1");
  CHECK(label("%0 = chlo.broadcast_add %d, %d : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>") ==
        "chlo_broadcast_c1");
}
