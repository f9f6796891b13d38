// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo/computation.hpp>

#include <text/hlo/programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::hlo_programs;

TEST_CASE("parameters are arguments in the order of their numbers, wherever they stand") {
  check_same(R"(y = f32[3] parameter(1), metadata={op_name="b"}
    n = f32[3] negate(y)
    x = f32[3] parameter(0)
    ROOT s = f32[3] subtract(x, n))",
             "%x: tensor<3xf32>, %y: tensor<3xf32>", "tensor<3xf32>",
             "%n = stablehlo.negate %y : tensor<3xf32>\n%s = stablehlo.subtract %x, %n : tensor<3xf32>\n"
             "return %s : tensor<3xf32>");
}

TEST_CASE("parameters that are no sequence of numbers") {
  const std::string one = "x = f32[3] parameter(0)\n";
  CHECK(error_of(entry("x = f32[3] parameter(1)")) == "syntax 2:5");
  CHECK(error_of(entry(one + "y = f32[3] parameter(0)")) != "none");
  CHECK(error_of(entry(one + "y = f32[3] parameter(2)")) != "none");
  CHECK(error_of(entry(one + "y = f32[3] parameter(-1)")) != "none");
  CHECK(error_of(entry(one + "y = f32[3] parameter(99999999999)")) != "none");
  CHECK(error_of(entry(one + "y = f32[3] parameter()")) != "none");
}

TEST_CASE("the root is what is marked, or what comes last") {
  const std::string lines = "x = f32[2] parameter(0)\n  a = f32[2] negate(x)\n  b = f32[2] abs(x)";
  check_same(lines, "%x: tensor<2xf32>", "tensor<2xf32>",
             "%b = stablehlo.abs %x : tensor<2xf32>\nreturn %b : tensor<2xf32>");
  std::string marked = lines;
  marked.insert(marked.find("a ="), "ROOT ");
  check_same(marked, "%x: tensor<2xf32>", "tensor<2xf32>",
             "%a = stablehlo.negate %x : tensor<2xf32>\nreturn %a : tensor<2xf32>");
}

TEST_CASE("computations are called by their names, once they are closed") {
  const std::string callee = "f (p: f32[2]) -> f32[2] {\n p = f32[2] parameter(0)\n ROOT q = f32[2] negate(p)\n}\n";
  const auto caller = [](const std::string& call) { return entry("x = f32[2] parameter(0)\nROOT y = " + call); };
  CHECK(error_of(callee + caller("f32[2] call(x), to_apply=f")) == "none");
  CHECK(error_of(callee + caller("f32[2] call(x), to_apply=%f")) == "none");
  CHECK(error_of(caller("f32[2] call(x), to_apply=f") + callee) == "name 3:35");
  CHECK(error_of(callee + caller("f32[2] call(x), to_apply=e")) == "name 7:35");
  CHECK(error_of(callee + caller("f32[2] call(x)")) == "attribute 7:17");
  CHECK(error_of(callee + caller("f32[2] call(x, x), to_apply=f")) == "call_c2 7:17");
  CHECK(error_of(callee + caller("f32[3] call(x), to_apply=f")) == "call_c3 7:6");
  CHECK(error_of(callee + callee + caller("f32[2] call(x), to_apply=f")) == "name 5:1");
}

TEST_CASE("tables of where instructions came from are passed by") {
  CHECK(error_of("HloModule m, is_scheduled=true\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
                 "1 {file_name_id=1 line=2}\n\nStackFrames\n1 {file_location_id=1}\n\n\nENTRY e {\n"
                 " ROOT x = f32[] parameter(0)\n}") == "none");
}

TEST_CASE("a computation that does not end, or does not begin") {
  CHECK(error_of("e {\n x = f32[] parameter(0)") == "syntax 2:24");
  CHECK(error_of("e {") == "syntax 1:4");
  CHECK(error_of("e (x: f32[) -> f32[] {") != "none");
  CHECK(error_of("e (x: f32[]) -> {\n x = f32[] parameter(0)\n}") != "none");
  CHECK(error_of("e (x: f32[]) -> f32[]\n x = f32[] parameter(0)\n") != "none");
  CHECK(error_of("ENTRY {\n x = f32[] parameter(0)\n}") == "syntax 1:7");
  CHECK(error_of("}") != "none");
}

TEST_CASE("instructions need no lines of their own") {
  const std::string module =
      "HloModule m, is_scheduled=true, entry_computation_layout={(f32[2]{0}, f32[])->f32[2]{0}} %body (a: f32[], b: "
      "f32[]) -> f32[] { %a = f32[] parameter(0), sharding={replicated} %b = f32[] parameter(1) ROOT %c = f32[] "
      "add(%a, "
      "%b), metadata={op_name=\"x = y\"} }, execution_thread=\"host\" ENTRY main { y = f32[] parameter(1) /*index=1*/ "
      "x = "
      "f32[2] parameter(0) z = f32[2] broadcast(y), dimensions={} r = f32[] reduce(x, y), dimensions={0}, "
      "to_apply=%body "
      "ROOT w = f32[2] add(x, z) }";
  const graph_owner program = read_program(module);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  const auto main = entry_of(program.program());
  REQUIRE(main.has_value());
  CHECK(program.program().regions.data[main->region].argument_count == 2);
  CHECK(read_program(module.substr(0, module.size() - 1)).error());
}
