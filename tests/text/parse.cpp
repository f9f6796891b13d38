// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/parse.hpp>

#include <doctest/doctest.h>

#include <string_view>

using namespace tenon;

namespace {

std::string_view label_of(std::string_view text) {
  const graph_owner program = parse(text);
  return program.error() ? program.error().label : "";
}

}  // namespace

TEST_CASE("a function becomes a graph") {
  const graph_owner program = parse(R"(
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %0 = stablehlo.add %a, %b : tensor<2x3xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      return %1 : tensor<3x2xf32>
    })");
  REQUIRE(!program.error());
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 2);
  CHECK(g.nodes.data[0].kind == kind_of_op<ops::add>);
  CHECK(g.nodes.data[1].kind == kind_of_op<ops::transpose>);
  CHECK(read_attributes<ops::transpose>(g.words.data + g.nodes.data[1].words).permutation == ints{1, 0});
  CHECK(g.types.size == 2);
  REQUIRE(g.find_function("main") != nullptr);
  const graph_region& body = g.regions.data[g.find_function("main")->region];
  CHECK(body.argument_count == 2);
  CHECK(g.yields_of(body).size == 1);
  CHECK(g.type_of_value(g.yields_of(body)[0]) == type_of(dtype::f32, {3, 2}));
}

TEST_CASE("an error has a label and a place") {
  const graph_owner program = parse(
      "func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) {\n"
      "  %0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n"
      "  return\n"
      "}\n");
  CHECK(std::string_view(program.error().label) == "add_c1");
  CHECK(program.error().line == 2);
  CHECK(program.error().column == 8);
}

TEST_CASE("names and types are checked") {
  CHECK(label_of("func.func @f(%a: tensor<f32>) { return } }") == "syntax");
  CHECK(label_of("func.func @f(%a: tensor<f32>) { return %b : tensor<f32> }") == "name");
  CHECK(label_of("func.func @f(%a: tensor<f32>, %a: tensor<f32>) { return }") == "name");
  CHECK(label_of("func.func @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f64> }") == "type");
  CHECK(label_of("func.func @f(%a: tensor<f32>) -> tensor<f64> { return %a : tensor<f32> }") == "return");
  CHECK(label_of("func.func @f(%a: tensor<?xf32>) { return }") == "type");
  CHECK(label_of("func.func @f() { \"what.ever\"() : () -> () return }") == "unknown_op");
}
