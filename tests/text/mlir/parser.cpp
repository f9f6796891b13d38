// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/parser.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::stablehlo_programs;

TEST_CASE("a name is what its escapes stand for") {
  CHECK(label_of(R"(func.func private @"a\22\FF"() { return }
    func.func @main() { call @"a\"\ff"() : () -> () return })") == "");
  CHECK(label_of(R"(func.func @"a\22"() { return } func.func @"a\22"() { return })") == "name");
}

TEST_CASE("aliases stand for what they name") {
  const graph_owner program = read_program(
      "#dims = array<i64: 1, 0>\n#same = #dims\n!t = tensor<2x3xf32>\n"
      "func.func @f(%a: !t) { %0 = \"stablehlo.transpose\"(%a) {permutation = #same} : (!t) -> tensor<3x2xf32> return "
      "}");
  CHECK(first<ops::transpose>(program).permutation == ints{1, 0});
  CHECK(label_of("#a = #a\nfunc.func @f(%a: tensor<2xf32>) { %0 = \"stablehlo.transpose\"(%a) {permutation = #a} : "
                 "(tensor<2xf32>) -> tensor<2xf32> return }") == "attribute");
  CHECK(label_of("!a = !a\nfunc.func @f(%a: !a) { return }") == "too_large");
}

TEST_CASE("constants") {
  CHECK(label_of(body("", "%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>")) == "");
  CHECK(label_of(body("", "%0 = stablehlo.constant {x = 1} dense<[1, 2]> : tensor<2xi32>")) == "");
  CHECK(label_of(body(
            "", "%0 = \"stablehlo.constant\"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>")) == "");
  CHECK(
      label_of(body("", "%0 = \"stablehlo.constant\"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi64>")) ==
      "constant_c1");
  CHECK(label_of(body("", "%0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>")) == "tensor_constant_c2");
  CHECK(label_of(body("", "%0 = stablehlo.constant dense<300> : tensor<i8>")) == "integer_constant_c1");
  CHECK(label_of(body("", "%0 = stablehlo.constant dense_resource<w> : tensor<8xf32>")) == "attribute");
  CHECK(label_of(body("", "%0 = stablehlo.constant dense<\"0x00\" : tensor<i8>")) == "syntax");
  CHECK(label_of(body("", "%0 = stablehlo.constant : tensor<i8>")) != "");
}

TEST_CASE("spellings of other producers") {
  CHECK(label_of(body("%x: tensor<4xsi8>, %y: tensor<4xi8>", "%0 = stablehlo.add %x, %y : tensor<4xi8>")) == "");
  CHECK(label_of(body("%x: tensor<4xsi64>", "%0 = stablehlo.abs %x : tensor<4xi64>")) == "");
  CHECK(label_of(body("%t: token", "%0 = stablehlo.after_all %t : !stablehlo.token")) == "");
  CHECK(label_of(body("%x: tensor<4x!quant.uniform<i8:f32, 0.5:+3>>", "")) == "");
  CHECK(label_of(body("%x: tensor<4x!quant.uniform<si8:f32, 0.5:-3>>", "")) == "");
  CHECK(label_of(body("%x: tensor<f32>", "%0 = stablehlo.optimization_barrier {a = \"b\"} %x : tensor<f32>")) == "");
  CHECK(label_of(body("", "%0 = sdy.constant dense<1.0> : tensor<4xf32>")) == "");
  CHECK(label_of(body("", "%0 = arith.constant dense<[1, 2]> : tensor<2xi32>")) == "");
  CHECK(label_of(body("", "%0 = arith.constant dense<[1, 2]> : tensor<3xi32>")) != "");
  CHECK(label_of("\xEF\xBB\xBF" + body("", "")) == "");
  CHECK(label_of("\xEF\xBB\xBFx = f32[2] parameter(0)\nROOT y = f32[2] add(x, x)") == "");
  CHECK(label_of("ML\xEFR\x01StableHLO_v1.0.0") == "not_supported");
  CHECK(label_of("vhlo.func_v1 @main() -> () { }") == "not_supported");
}
