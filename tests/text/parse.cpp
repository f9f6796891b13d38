// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/parse.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

#include <shared/read_program.hpp>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;

namespace {

std::string_view label_of(std::string_view text) {
  const graph_owner program = read_program(text);
  return program.error() ? program.error().label : "";
}
std::string repeated(std::string_view piece, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += piece;
  return result;
}

}  // namespace

TEST_CASE("a function becomes a graph") {
  graph_owner program = read_program(R"(
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %0 = stablehlo.add %a, %b : tensor<2x3xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      return %1 : tensor<3x2xf32>
    })");
  REQUIRE(!program.error());
  const graph_owner moved = std::move(program);
  const graph& g = moved.program();
  REQUIRE(g.nodes.size == 2);
  CHECK(g.nodes.data[0].kind == kind_of_op<ops::add>);
  CHECK(g.nodes.data[1].kind == kind_of_op<ops::transpose>);
  CHECK(read_attributes<ops::transpose>(g.words.data + g.nodes.data[1].words).permutation == ints{1, 0});
  CHECK(g.types.size == 2);
  REQUIRE(g.find_function("main").has_value());
  const graph_region& body = g.regions.data[g.find_function("main")->region];
  CHECK(body.argument_count == 2);
  CHECK(g.yields_of(body).size == 1);
  CHECK(g.type_of_value(g.yields_of(body)[0]) == type_of(dtype::f32, {3, 2}));
}

TEST_CASE("an error has a label and a place") {
  const graph_owner program = read_program(
      "func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) {\n"
      "  %0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n"
      "  return\n"
      "}\n");
  CHECK(std::string_view(program.error().label) == "add_c1");
  CHECK(program.error().line == 2);
  CHECK(program.error().column == 8);
}

// Every beginning of a program is an error, unless it ends after a function; so is every program with a byte that is
// none.
TEST_CASE("no text is too short or too strange") {
  const std::string text = R"(module @m attributes {a.b = "c\22"} {
  func.func public @f(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25:3}>>, %p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32> {a.d}) {
    %c = stablehlo.constant dense<"0x0000803F"> : tensor<f32>
    %0:2 = "stablehlo.if"(%p) <{}> ({
      stablehlo.return %x, %c : tensor<4xf32>, tensor<f32>
    }, {
      %1 = stablehlo.negate %x : tensor<4xf32> loc("n")
      stablehlo.return %1, %c : tensor<4xf32>, tensor<f32>
    }) {a.e = [1, {b = #stablehlo<x Y>}]} : (tensor<i1>) -> (tensor<4xf32>, tensor<f32>)
    %2 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      reducer(%p1: tensor<f32>, %q: tensor<f32>) { %3 = stablehlo.add %p1, %q : tensor<f32> stablehlo.return %3 : tensor<f32> }
    %4 = stablehlo.while(%i = %0#0) : tensor<4xf32> cond { stablehlo.return %p : tensor<i1> } do { stablehlo.return %i : tensor<4xf32> }
    return %4 : tensor<4xf32>
  } // end
})";
  REQUIRE(label_of(text) == "");
  for (std::size_t size = 1; size < text.size(); ++size) {
    // A copy of its own, so that a read past the end is one past the end of an allocation.
    const std::string beginning = text.substr(0, size);
    CHECK_MESSAGE(label_of(beginning) != "", beginning);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (char c : {'\0', '\x80', '(', '"', '<', '%', '0'}) {
      std::string changed = text;
      changed[i] = c;
      const graph_owner program = read_program(changed);
      CHECK((!program.error() || (program.error().line >= 1 && program.error().column >= 1)));
    }
  }
}

TEST_CASE("hostile texts are errors, soon") {
  const std::string head = "func.func @f(%p: tensor<i1>) { ";
  CHECK(label_of(head + repeated("\"stablehlo.if\"(%p) ({ ", 100000)) == "too_large");
  CHECK(label_of("func.func @f(%p: " + repeated("tuple<", 100000)) == "too_large");
  CHECK(label_of(head + "%0 = stablehlo.constant dense<" + repeated("[", 100000) + "> : tensor<f32>") ==
        "tensor_constant_c2");
  CHECK(label_of(head + "%0 = \"stablehlo.abs\"(%p) {a = " + repeated("[", 100000)) == "too_large");
  CHECK(label_of(head + "%0 = stablehlo.abs %p {" + repeated("a.b, ", 2) + "}") == "attribute");
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "a" + std::to_string(i) + " = 1, ";
  CHECK(label_of(head + "%0 = stablehlo.abs %p {" + many + "}") == "too_large");
  CHECK(label_of(repeated("x", 1 << 22)) == "syntax");
  CHECK(label_of(repeated(" ", 1 << 22)) == "");
  CHECK(label_of(repeated("(", 1 << 22)) == "syntax");
  CHECK(label_of("\"" + repeated("\\\\", 1 << 20)) == "syntax");
}

TEST_CASE("tables grow with the program") {
  std::string text = "func.func @f(%v0: tensor<1xf32>) {\n";
  for (int i = 1; i < 20000; ++i)
    text += "%v" + std::to_string(i) + " = stablehlo.broadcast_in_dim %v0, dims = [0] : (tensor<1xf32>) -> tensor<" +
            std::to_string(i) + "xf32>\n";
  text += "return }\n";
  for (int i = 0; i < 2000; ++i)
    text +=
        "func.func @g" + std::to_string(i) + "() { call @g" + std::to_string(i * 7 % 2000) + "() : () -> () return }\n";
  const graph_owner program = read_program(text);
  REQUIRE(!program.error());
  CHECK(program.program().nodes.size == 19999 + 2000);
  CHECK(program.program().types.size == 19999);
  CHECK(program.program().functions.size == 2001);
  CHECK(program.program().name_of(program.program().functions.data[2000].name) == "g1999");
}
