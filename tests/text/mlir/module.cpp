// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/module.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::stablehlo_programs;

TEST_CASE("modules") {
  CHECK(label_of("") == "");
  CHECK(label_of("module {}") == "");
  CHECK(label_of("module @name attributes {mhlo.num_replicas = 1 : i32} { func.func @f() { return } }") == "");
  CHECK(label_of("#loc = loc(unknown)\nmodule @m { } loc(#loc)\n#loc1 = loc(\"f\":1:2)") == "");
  CHECK(label_of("module { sdy.mesh @mesh = <[\"x\"=2]> }") == "");
  CHECK(label_of("module { sdy.mesh @mesh = <[\"x\"=2]> {a.b = {c = 1 : i64}} loc(unknown) }") == "");
  CHECK(label_of("module { \"sdy.mesh\"() <{mesh = #sdy.mesh<[\"x\"=2]>, sym_name = \"m\"}> {a} : () -> () }") == "");
  CHECK(label_of("module { sdy.mesh @mesh = <[\"x\"=2]> {a = } }") == "syntax");
  CHECK(label_of("func.func @f() { return }\n{-# dialect_resources: { } #-}") == "");
  CHECK(label_of("module { module { } }") == "not_supported");
  CHECK(label_of("module {") == "syntax");
  CHECK(label_of("module { } }") == "syntax");
  CHECK(label_of("hello") == "syntax");
  CHECK(label_of("module attributes {a = #stablehlo.conv<[b, f]x[i, i]->[b, f]>} {}") == "syntax");
  CHECK(label_of("module attributes {a = #stablehlo.gather<x = [0], x = [1]>} {}") == "attribute");
}

TEST_CASE("modules and functions in the form of any op") {
  const std::string properties = R"("builtin.module"() <{sym_name = "m"}> ({
    "func.func"() <{function_type = (tensor<2xf32>) -> tensor<f32>, sym_name = "declared", sym_visibility = "private"}> ({
    }) : () -> ()
    "func.func"() <{arg_attrs = [{a.b = 1 : i64}], function_type = (tensor<f32>) -> (tensor<f32>, tensor<f32>), sym_name = "main"}> ({
    ^bb0(%x: tensor<f32> loc("here")):
      %0 = "stablehlo.add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "func.return"(%x, %0) : (tensor<f32>, tensor<f32>) -> ()
    }) {c.d} : () -> () loc("there")
  }) {mhlo.num_replicas = 1 : i32} : () -> ())";
  const std::string behind = R"("builtin.module"() ({
  ^bb0:
    "func.func"() ({
    }) {function_type = (tensor<2xf32>) -> tensor<f32>, sym_name = "declared", sym_visibility = "private"} : () -> ()
    "func.func"() ({
    ^bb0(%x: tensor<f32>):
      %0 = "stablehlo.add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "func.return"(%x, %0) : (tensor<f32>, tensor<f32>) -> ()
    }) {function_type = (tensor<f32>) -> (tensor<f32>, tensor<f32>), sym_name = "main"} : () -> ()
  }) : () -> ())";
  for (const std::string& text : {properties, behind}) {
    const graph_owner program = read_program(text);
    REQUIRE(!program.error());
    const graph& g = program.program();
    CHECK(g.functions.size == 2);
    CHECK(g.find_function("declared")->region == -1);
    CHECK_FALSE(g.find_function("declared")->is_public);
    CHECK(g.find_function("main")->is_public);
    CHECK(g.nodes.size == 1);
    CHECK(g.values.size == 2);
  }
  const auto function = [](std::string_view attributes, std::string_view region) {
    return label_of("\"func.func\"() <{" + std::string(attributes) + "}> (" + std::string(region) + ") : () -> ()");
  };
  const std::string_view named = "function_type = (tensor<f32>) -> (), sym_name = \"f\"";
  CHECK(function(named, "{ ^bb0(%a: tensor<f32>): \"func.return\"() : () -> () }") == "");
  CHECK(function(named, "{ }") == "");
  CHECK(function(named, "{ \"func.return\"() : () -> () }") == "type");
  CHECK(function(named, "{ ^bb0(%a: tensor<f64>): \"func.return\"() : () -> () }") == "type");
  CHECK(function(named, "{ ^bb0(%a: tensor<f32>, %b: tensor<f32>): \"func.return\"() : () -> () }") == "type");
  CHECK(function(named, "{ ^bb0(%a: tensor<f32>): \"func.return\"(%a) : (tensor<f32>) -> () }") == "return");
  CHECK(function(named, "{ ^bb0(%a: tensor<f32>): }") == "syntax");
  CHECK(function("sym_name = \"f\"", "{ }") == "attribute");
  CHECK(function("function_type = () -> ()", "{ }") == "attribute");
  CHECK(function("function_type = tensor<f32>, sym_name = \"f\"", "{ }") == "syntax");
  CHECK(function("function_type = () -> (), sym_name = \"f\", sym_visibility = \"hidden\"", "{ }") == "syntax");
  CHECK(label_of("\"builtin.module\"() ({ ") == "syntax");
  CHECK(label_of("\"builtin.module\"() ({ }) : () -> (tensor<f32>)") == "syntax");
  CHECK(label_of("\"builtin.module\"() <{a = #stablehlo.gather<x = [0], x = [1]>}> ({ }) : () -> ()") == "attribute");
  CHECK(label_of("\"builtin.module\"() ({ \"builtin.module\"() ({ }) : () -> () }) : () -> ()") == "not_supported");
  CHECK(label_of("\"sdy.mesh\"() <{mesh = #sdy.mesh<[\"x\"=2]>, sym_name = \"m\"}> : () -> ()") == "");
  CHECK(label_of("\"sdy.mesh\"() <{sym_name = \"m\"}> : () -> ()") == "attribute");
}
