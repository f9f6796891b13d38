// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/literal.hpp>

#include <tenon/text/parse.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

// The rule that a constant breaks.
std::string rule_of(const std::string& value, const std::string& type) {
  const std::string text = "func.func @f() -> " + type + " {\n  %0 = stablehlo.constant dense<" + value +
                           "> : " + type + "\n  return %0 : " + type + "\n}";
  const tenon::graph_owner program = tenon::parse(text);
  return program.error() ? program.error().label : "";
}

}  // namespace

TEST_CASE("constants are read") {
  CHECK(rule_of("[[1, 2, 3], [4, 5, -6]]", "tensor<2x3xi32>") == "");
  CHECK(rule_of("7", "tensor<2x3xi32>") == "");
  CHECK(rule_of("[true, false]", "tensor<2xi1>") == "");
  CHECK(rule_of("[1.5, 0x7FC00000, -2e-3]", "tensor<3xf32>") == "");
  CHECK(rule_of("[(1.0, -2.0), (0.0, 3.0)]", "tensor<2xcomplex<f32>>") == "");
  CHECK(rule_of("\"0x0000803F00000040\"", "tensor<2xf32>") == "");
  CHECK(rule_of("[]", "tensor<0xf32>") == "");
  CHECK(rule_of("[1, -2]", "tensor<2x!quant.uniform<i8:f32, 0.1:-30>>") == "");
}

TEST_CASE("constants keep the rules") {
  CHECK(rule_of("[true, talse]", "tensor<2xi1>") == "boolean_constant");
  CHECK(rule_of("1.5", "tensor<i32>") == "integer_constant_c1");
  CHECK(rule_of("1e3", "tensor<i32>") == "integer_constant_c1");
  CHECK(rule_of("128", "tensor<i8>") == "integer_constant_c1");
  CHECK(rule_of("-1", "tensor<ui8>") == "integer_constant_c1");
  CHECK(rule_of("[1, true]", "tensor<2xi32>") == "integer_constant_c1");
  CHECK(rule_of("1.", "tensor<f32>") == "");
  CHECK(rule_of("1.0e", "tensor<f32>") == "float_constant_c1");
  CHECK(rule_of("true", "tensor<f32>") == "float_constant_c1");
  CHECK(rule_of("0x7FC0", "tensor<f32>") == "float_constant_c2");
  CHECK(rule_of("0x7FC00000", "tensor<f16>") == "float_constant_c2");
  CHECK(rule_of("[1.0, 2.0]", "tensor<2xcomplex<f32>>") == "complex_constant_c1");
  CHECK(rule_of("(1.0, true)", "tensor<complex<f32>>") == "float_constant_c1");
  CHECK(rule_of("(0x3F80, 0.0)", "tensor<complex<f32>>") == "float_constant_c2");
  CHECK(rule_of("\"0x0000803\"", "tensor<f32>") == "tensor_constant_c1");
  CHECK(rule_of("\"0x0000803G\"", "tensor<f32>") == "tensor_constant_c1");
  CHECK(rule_of("[1, 2]", "tensor<3xi32>") == "tensor_constant_c2");
  CHECK(rule_of("[1, 2]", "tensor<2x1xi32>") == "tensor_constant_c2");
  CHECK(rule_of("[[1, 2], [3]]", "tensor<2x2xi32>") == "tensor_constant_c2");
  CHECK(rule_of("\"0x0000803F\"", "tensor<3xf32>") == "");
  CHECK(rule_of("\"0x0000803F00000040\"", "tensor<3xf32>") == "tensor_constant_c2");
  CHECK(rule_of("200", "tensor<!quant.uniform<i8:f32, 0.1:-30>>") == "integer_constant_c1");
  CHECK(rule_of("[1, 2, 3]", "tensor<2x!quant.uniform<i8:f32, 0.1:-30>>") == "tensor_constant_c2");
}
