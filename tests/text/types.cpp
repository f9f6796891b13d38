// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/types.hpp>

#include <tenon/text/parse.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

// The rule that a program with a value of this type breaks.
std::string rule_of(const std::string& type) {
  const std::string text = "func.func private @f(" + type + ")";
  const tenon::graph_owner program = tenon::parse(text);
  return program.error() ? program.error().label : "";
}
std::string rule_of_quantized(const std::string& parameters, const std::string& shape = "2x3x") {
  return rule_of("tensor<" + shape + "!quant.uniform<" + parameters + ">>");
}

}  // namespace

TEST_CASE("quantized types are read") {
  CHECK(rule_of_quantized("i8:f32, 0.1:-30") == "");
  CHECK(rule_of_quantized("i8:f32, 0.1") == "");
  CHECK(rule_of_quantized("u8:f32, 0.1:255") == "");
  CHECK(rule_of_quantized("i8<-127:127>:f32, 0.1:-30") == "");
  CHECK(rule_of_quantized("i4:bf16, 1.0:7") == "");
  CHECK(rule_of_quantized("i8:f32:0, {0.1:-30, 0.5:-20}") == "");
  CHECK(rule_of_quantized("i8:f32:1, {0.1, 0.5, 1.0}") == "");
}

TEST_CASE("quantized types keep the rules") {
  CHECK(rule_of_quantized("i8<-129:127>:f32, 0.1:-30") == "quantized_element_c3");
  CHECK(rule_of_quantized("i8<-128:128>:f32, 0.1:-30") == "quantized_element_c3");
  CHECK(rule_of_quantized("i8<5:5>:f32, 0.1:5") == "quantized_element_c3");
  CHECK(rule_of_quantized("u4<-1:7>:f32, 0.1") == "quantized_element_c3");
  CHECK(rule_of_quantized("i8:f32, 0.0:-30") == "quantized_element_c5");
  CHECK(rule_of_quantized("i8:f32, -0.1:-30") == "quantized_element_c5");
  CHECK(rule_of_quantized("i8:f32:0, {0.1, 0.0}") == "quantized_element_c5");
  CHECK(rule_of_quantized("i8:f32, 1.0e300:-30") == "quantized_element_c6");
  CHECK(rule_of_quantized("i8:f16, 1.0e6:-30") == "quantized_element_c6");
  CHECK(rule_of_quantized("i8:f32, 0.1:128") == "quantized_element_c7");
  CHECK(rule_of_quantized("i8<-10:10>:f32, 0.1:-11") == "quantized_element_c7");
  CHECK(rule_of_quantized("i8:f32, {0.1, 0.5}") == "quantized_element_c10");
  CHECK(rule_of_quantized("i8:f32:0, 0.1") == "quantized_element_c10");
  CHECK(rule_of_quantized("i8:f32:-1, {0.1, 0.5}") == "quantized_element_c11");
  CHECK(rule_of_quantized("i8:f32:2, {0.1, 0.5}") == "quantized_tensor_c12");
  CHECK(rule_of_quantized("i8:f32:0, {0.1}", "") == "quantized_tensor_c12");
  CHECK(rule_of_quantized("i8:f32:0, {0.1}") == "quantized_tensor_c13");
  CHECK(rule_of_quantized("i8:f32:1, {0.1, 0.5}") == "quantized_tensor_c13");
}
