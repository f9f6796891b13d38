// SPDX-License-Identifier: Apache-2.0
#include <tenon/files/argument_names.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace tenon;

namespace {

// "name=path name=path -> name=path"
std::string names(std::string_view text, int arguments, int results, std::string_view function = "main") {
  const function_names found = names_in(text, function, arguments, results);
  std::string all;
  for (const value_name& each : found.arguments) all += each.name + "=" + each.path + " ";
  all += "->";
  for (const value_name& each : found.results) all += " " + each.name + "=" + each.path;
  return all;
}

}  // namespace

TEST_CASE("names in StableHLO text") {
  CHECK(names(R"(
#loc1 = loc("params['w']")
#loc2 = loc("b"(#loc1))
// func.func @main(%no: tensor<f32>)
module { func.func private @other(%y: tensor<f32>) { return }
  func.func public @main(%arg0: tensor<2xf32> loc(#loc1), %x: tensor<1xf32> {a = "func.func @main(%z", jax.arg_info = "x\22"},
    %2: tensor<?x3xf32, #stablehlo.bounds<4, ?>> loc("f.py":1:2), %b: !stablehlo.token loc(#loc2)) -> (tensor<2xf32> {jax.result_info = "result[0]"}, tensor<f32>) {
  return
})",
              4, 2) == "arg0=params['w'] x=x\" 2= b=b -> result0=result[0] result1=");
  CHECK(names("func.func @f(%x: tensor<f32>) -> tensor<f32> {", 1, 1, "f") == "x= -> result=");
  CHECK(names("func.func @f(%x: tensor<f32>) -> tensor<f32> {", 1, 1, "g") == "arg0= -> result=");
}

TEST_CASE("names in HLO text") {
  CHECK(names("HloModule m\n\nadd {\n  p = f32[] parameter(0)\n}\n\nENTRY main {\n  %b.2 = f32[2]{0} parameter(1), "
              "metadata={op_name=\"params[\\'b\\']\"}\n  w = f32[2]{0} parameter(0)\n}\n\nafter {\n  q = f32[] "
              "parameter(0)\n}\n",
              2, 1) == "w= b.2=params['b'] -> result=");
}

TEST_CASE("any text has names") {
  const std::string_view text = "func.func @main(%a: tensor<2xf32> {x = \"\\\"} loc(\"\\";
  for (std::size_t size = 0; size <= text.size(); ++size) CHECK(names(text.substr(0, size), 1, 1).size() > 4);
  CHECK(names("ENTRY\n x parameter(99999999999999999999)\n x parameter(100000)", 1, 0).starts_with("arg0="));
}
