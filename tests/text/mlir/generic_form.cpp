// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/generic_form.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::stablehlo_programs;

TEST_CASE("results and regions that the op does not have") {
  CHECK(label_of(body("", "\"stablehlo.partition_id\"() : () -> ()")) == "results");
  const std::string region = "({ ^bb0(%b: tensor<f32>): stablehlo.return %b : tensor<f32> })";
  CHECK(label_of(body("%a: tensor<f32>", "%0 = \"stablehlo.abs\"(%a) " + region + " : (tensor<f32>) -> tensor<f32>")) ==
        "regions");
  CHECK(label_of(body("%a: tensor<f32>",
                      "\"func.call\"(%a) <{callee = @main}> " + region + " : (tensor<f32>) -> ()")) == "regions");
}

TEST_CASE("the types that are written are those of the values") {
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %b : tensor<3x2xf32>")) == "type");
  CHECK(label_of(body(two, "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>) -> tensor<2x3xf32>")) == "type");
  CHECK(label_of(body(two, "%0 = \"stablehlo.abs\"(%a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>")) ==
        "type");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf64>")) ==
        "add_c1");
  CHECK(label_of(body("%a: tensor<2xcomplex<f32>>",
                      "%0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>")) == "");
}

TEST_CASE("ops of other dialects are kept where they are allowed") {
  const std::string text = body(two, R"(
    check.expect_eq_const %a, dense<1.0> : tensor<2x3xf32>
    "check.expect_close"(%a, %b) {max = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %0 = interpreter.probe %b, probe_id = "p" : tensor<2x3xf32>
    %1 = chlo.next %a, %b : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<f32>)");
  const graph_owner program = read_program(text, {"check chlo interpreter"});
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 4);
  const auto attributes = [&](int i) {
    const index_t* words = g.words.data + g.nodes.data[i].words;
    return g.text.substr(std::size_t(words[0]), std::size_t(words[1]));
  };
  CHECK(is_foreign(g.nodes.data[0]));
  CHECK(name_of_foreign(g, g.nodes.data[0]) == "check.expect_eq_const");
  CHECK(g.words.data[g.nodes.data[0].words + 2] == 0);
  CHECK(g.literals.size == 1);
  CHECK(attributes(1) == "max = 3 : i64");
  CHECK(g.words.data[g.nodes.data[1].words + 2] == -1);
  CHECK(attributes(2) == ", probe_id = \"p\" ");
  CHECK(g.nodes.data[2].result_count == 1);
  CHECK(g.type_of_value(g.nodes.data[3].results) == type_of(dtype::f32));
  CHECK(read_program(text, {"check chlo"}).error().line == 5);
}

TEST_CASE("rules see constants, and the one op of a region") {
  const std::string_view ok =
      "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
      "%0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
      "tensor<2xi64>) -> tensor<2x3xf32>";
  CHECK(label_of(body("%a: tensor<f32>", ok)) == "");
  std::string wrong(ok);
  wrong.replace(wrong.find("[2, 3]"), 6, "[2, 4]");
  CHECK(label_of(body("%a: tensor<f32>", wrong)) == "rng_c3");

  const auto start = [](std::string_view op) {
    return body("%a: tensor<4xf32>",
                "%0 = \"stablehlo.async_start\"(%a) ({ ^bb0(%x: tensor<4xf32>): %1 = " + std::string(op) +
                    " stablehlo.return %1 : tensor<2xf32> }) : (tensor<4xf32>) -> "
                    "!stablehlo.future<tensor<2xf32>>");
  };
  CHECK(label_of(start("stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>")) == "");
  CHECK(label_of(start("stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>")) == "async_start_c3");
  CHECK(label_of(start("\"stablehlo.bitcast_convert\"(%x) : (tensor<4xf32>) -> tensor<2xf32>")) != "");
  CHECK(label_of(start("stablehlo.constant dense<0.0> : tensor<2xf32>")) == "async_start_c2");
}
