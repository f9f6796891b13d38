// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/scope.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::stablehlo_programs;

TEST_CASE("names of values") {
  CHECK(
      label_of(body(two, "%0 = stablehlo.add %a, %b : tensor<2x3xf32>\n%0 = stablehlo.add %a, %b : tensor<2x3xf32>")) ==
      "name");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %c : tensor<2x3xf32>")) == "name");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %1 : tensor<2x3xf32>\n%1 = stablehlo.abs %a : tensor<2x3xf32>")) ==
        "name");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a#0, %a : tensor<2x3xf32>")) == "");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a#1, %a : tensor<2x3xf32>")) == "name");
  CHECK(label_of(body(two,
                      "%a_long.name-1$ = stablehlo.abs %a : tensor<2x3xf32>\n"
                      "%1 = stablehlo.abs %a_long.name-1$ : tensor<2x3xf32>")) == "");
  CHECK(label_of(body(two,
                      "%0:2 = stablehlo.optimization_barrier %a, %b : tensor<2x3xf32>, tensor<2x3xf32>\n"
                      "%1, %2 = stablehlo.optimization_barrier %0#1, %0#0 : tensor<2x3xf32>, tensor<2x3xf32>\n"
                      "%3 = stablehlo.add %1, %2 : tensor<2x3xf32>")) == "");
  CHECK(label_of(body(two, "%0:3 = stablehlo.optimization_barrier %a, %b : tensor<2x3xf32>, tensor<2x3xf32>")) ==
        "syntax");
  CHECK(label_of(body(two, "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()")) != "");
}

TEST_CASE("regions") {
  const std::string reduce = R"(
    func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<4xf32> {
      %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32> loc("y")):
        %1 = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })";
  const graph_owner program = read_program(reduce);
  REQUIRE(!program.error());
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 2);
  CHECK(g.nodes.data[0].kind == kind_of_op<ops::add>);
  CHECK(g.nodes.data[0].region == 1);
  CHECK(g.nodes.data[1].region == 0);
  CHECK(g.regions_of(g.nodes.data[1])[0] == 1);
  CHECK(g.regions.data[1].parent == 0);
  CHECK(g.regions.data[1].argument_count == 2);
  CHECK(g.yields_of(g.regions.data[1])[0] == g.nodes.data[0].results);

  // Sisters may use the same names, but nobody hides a name from outside.
  const std::string_view branches = R"(%0 = "stablehlo.if"(%p) ({
      %x = stablehlo.abs %a : tensor<f32>
      "stablehlo.return"(%x) : (tensor<f32>) -> ()
    }, {
      %x = stablehlo.negate %a : tensor<f32>
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>)";
  const std::string_view arguments = "%p: tensor<i1>, %a: tensor<f32>";
  CHECK(label_of(body(arguments, branches)) == "");
  CHECK(label_of(body("%x: tensor<f32>, " + std::string(arguments), branches)) == "name");
  CHECK(label_of(body(arguments, std::string(branches) + "\n%1 = stablehlo.abs %x : tensor<f32>")) == "name");

  const auto region = [](std::string_view inside) {
    return body("%p: tensor<i1>", "%0 = \"stablehlo.if\"(%p) ({" + std::string(inside) + "}, {}) : (tensor<i1>) -> ()");
  };
  CHECK(label_of(region("")) == "syntax");
  CHECK(label_of(region("return")) == "syntax");
  CHECK(label_of(region("^bb0: stablehlo.return ^bb1: stablehlo.return")) == "not_supported");
  CHECK(label_of(region("stablehlo.return } stablehlo.return")) == "syntax");
}
