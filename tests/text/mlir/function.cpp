// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/function.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::stablehlo_programs;

TEST_CASE("functions") {
  const std::string_view text = R"(
    func.func private @declared(tensor<2xf32>, tensor<f32> {x.y = 1}) -> tensor<f32>
    func.func public @"with space"(%x: tensor<f32> {jax.arg = "x"} loc("here")) -> (tensor<f32> {jax.result = ""}, tensor<f32>)
        attributes {a.b} {
      return %x, %x : tensor<f32>, tensor<f32>
    } loc("there")
    func.func nested @bare(%x: tensor<f32>) -> tensor<f32> { func.return %x : tensor<f32> })";
  const graph_owner program = read_program(text);
  REQUIRE(!program.error());
  const graph& g = program.program();
  CHECK(g.functions.size == 3);
  const graph_function& declared = *g.find_function("declared");
  CHECK(declared.region == -1);
  CHECK(g.members_of(g.types[declared.takes]).size == 2);
  CHECK(g.members_of(g.types[declared.gives]).size == 1);
  CHECK(label_of("func.func @f(tensor<f32>) { return }") == "syntax");
  CHECK(g.find_function("with space")->is_public);
  CHECK_FALSE(g.find_function("bare")->is_public);
  CHECK(g.values.size == 2);
  CHECK(label_of("func.func @f() { return } func.func @f() { return }") == "name");
  CHECK(label_of("func.func hidden @f() { return }") == "syntax");
  CHECK(label_of("func.func @f(%a: tensor<f32>) -> () { return %a : tensor<f32> }") == "return");
  CHECK(label_of("func.func @f(%a: tensor<f32>) -> tensor<f32> { return }") == "return");
  CHECK(label_of("func.func @f() { stablehlo.return }") == "");
  CHECK(label_of("func.func @f(%a: tensor<f32>) -> tensor<f32> { stablehlo.return %a : tensor<f32> }") == "");
  CHECK(label_of("func.func @f(%a: tensor<f32>) -> tensor<f64> { stablehlo.return %a : tensor<f32> }") == "return");
  const std::string head = "func.func @f(%p: tensor<i1>) { \"stablehlo.if\"(%p) ({ ";
  const std::string tail = " }, { stablehlo.return }) : (tensor<i1>) -> () return }";
  CHECK(label_of(head + "stablehlo.return" + tail) == "");
  CHECK(label_of(head + "return" + tail) == "syntax");
  CHECK(label_of("func.func @f() { }") == "syntax");
  CHECK(label_of("func.func @f() { return return }") == "syntax");
  CHECK(label_of("func.func @f() { return") == "syntax");
  CHECK(label_of("func.func @f( { return }") != "");
  CHECK(label_of("func.func f() { return }") == "syntax");
}

TEST_CASE("calls are checked against functions that may come later") {
  const std::string later = " func.func private @g(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }";
  CHECK(label_of(body("%a: tensor<f32>", "%0 = call @g(%a) : (tensor<f32>) -> tensor<f32>") + later) == "");
  CHECK(label_of(body("%a: tensor<f32>", "%0 = \"func.call\"(%a) <{callee = @g}> : (tensor<f32>) -> tensor<f32>") +
                 later) == "");
  CHECK(label_of(body("%a: tensor<f32>", "%0 = func.call @h(%a) : (tensor<f32>) -> tensor<f32>") + later) == "call_c1");
  CHECK(label_of(body("%a: tensor<f64>", "%0 = call @g(%a) : (tensor<f64>) -> tensor<f32>") + later) == "call_c2");
  CHECK(label_of(body("%a: tensor<f32>", "%0 = call @g(%a) : (tensor<f32>) -> tensor<f64>") + later) == "call_c3");
  CHECK(label_of(body("%a: tensor<f32>",
                      "%0 = stablehlo.composite \"my.g\" %a {decomposition = @g} : (tensor<f32>) -> "
                      "tensor<f32>") +
                 later) == "");
  CHECK(label_of(body("%a: tensor<f32>",
                      "%0 = stablehlo.composite \"my.g\" %a {decomposition = @h} : (tensor<f32>) -> "
                      "tensor<f32>") +
                 later) == "composite_c2");
  CHECK(label_of(body("%a: tensor<f64>",
                      "%0 = stablehlo.composite \"my.g\" %a {decomposition = @g} : (tensor<f64>) -> "
                      "tensor<f32>") +
                 later) == "composite_c3");
  CHECK(label_of(body("%a: tensor<f32>",
                      "%0 = stablehlo.composite \"my.g\" %a {decomposition = @g} : (tensor<f32>) -> "
                      "tensor<f64>") +
                 later) == "composite_c4");
}

TEST_CASE("results stand without brackets, too, and there may be many") {
  CHECK(label_of(
            "func.func @f(%a: tensor<f32>) -> tensor<f32>, tensor<f32> { return %a, %a : tensor<f32>, tensor<f32> }") ==
        "");
  std::string types = "tensor<f32>";
  for (int i = 1; i < 100; ++i) types += ", tensor<f32>";
  CHECK(label_of("func.func private @many(" + types + ") -> (" + types + ")\nfunc.func @f(%t: tuple<" + types +
                 ">) -> tensor<f32> {\n%0 = stablehlo.get_tuple_element %t[99] : (tuple<" + types +
                 ">) -> tensor<f32>\nreturn %0 : tensor<f32> }") == "");
}
