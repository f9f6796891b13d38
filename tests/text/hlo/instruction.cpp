// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo/instruction.hpp>

#include <text/hlo/programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::hlo_programs;

TEST_CASE("an op in its asynchronous form is the op") {
  check_same(R"(x = f32[6,4] parameter(0)
    s = ((f32[6,4]), f32[2,4], u32[]) slice-start(x), slice={[1:3], [0:4]}, async_execution_thread="other"
    u = ((f32[6,4]), f32[2,4], u32[]) slice-update(s)
    d = f32[2,4] slice-done(u), async_execution_thread="other"
    zero = f32[] constant(0)
    r = ((f32[2,4], f32[]), f32[4]) reduce-start(d, zero), dimensions={0}, to_apply=sum
    ROOT y = f32[4] reduce-done(r))",
             "%x: tensor<6x4xf32>", "tensor<4xf32>",
             R"(%s = stablehlo.slice %x [1:3, 0:4] : (tensor<6x4xf32>) -> tensor<2x4xf32>
    %zero = stablehlo.constant dense<0x00000000> : tensor<f32>
    %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %r : tensor<4xf32>)");
  check_same(R"(x = f32[3] parameter(0)
    s = ((f32[3]), f32[3], s32[]) call-start(x), to_apply=twice
    ROOT y = f32[3] call-done(s))",
             "%x: tensor<3xf32>", "tensor<3xf32>",
             "%y = stablehlo.add %x, %x : tensor<3xf32>\nreturn %y : tensor<3xf32>");
  const std::string x = "x = f32[3] parameter(0)\n";
  CHECK(error_of(entry(x + "ROOT s = f32[3] negate-start(x)")) == "type 3:17");
  CHECK(error_of(entry(x + "ROOT s = ((f32[3])) negate-start(x)")) == "type 3:21");
  CHECK(error_of(entry(x + "ROOT s = ((f32[3]), f32[2]) negate-start(x)")) == "negate_c1 3:29");
  CHECK(error_of(entry(x + "ROOT s = ((f32[3]), f32[3]) parameter-start(x)")) == "unknown_op 3:29");
  CHECK(error_of(entry(x + "ROOT s = ((f32[3]), f32[3]) negate-start-start(x)")) == "unknown_op 3:29");
}

TEST_CASE("what only passes its operand on has one") {
  const std::string x = "x = f32[3] parameter(0)\n";
  check_same(x + R"(t = token[] after-all()
    c = (f32[3], f32[3], u32[]) copy-start(x)
    y = f32[3] copy-done(c)
    d = f32[3] domain(y), domain={kind="sharding", entry={replicated}, exit={replicated}}
    ROOT z = f32[3] add-dependency(d, t))",
             "%x: tensor<3xf32>", "tensor<3xf32>", "return %x : tensor<3xf32>");
  // Otherwise values would double line by line.
  for (const std::string op : {"copy-done(x, x)", "domain(x, x)", "add-dependency(x, x, x)", "add-dependency(x)",
                               "some-update(x, x)", "copy-start()"})
    CHECK(error_of(entry(x + "ROOT y = f32[3] " + op)) == "attribute 3:17");
}

TEST_CASE("tuples are taken apart") {
  check_same(R"(x = f32[3] parameter(0)
    y = s32[] parameter(1)
    inner = (s32[], f32[3]) tuple(y, x)
    outer = (f32[3], (s32[], f32[3]), s32[]) tuple(x, inner, y)
    second = (s32[], f32[3]) get-tuple-element(outer), index=1
    ROOT r = s32[] get-tuple-element(second), index=0)",
             "%x: tensor<3xf32>, %y: tensor<i32>", "tensor<i32>", "return %y : tensor<i32>");
  const std::string pair = "x = f32[3] parameter(0)\nt = (f32[3], f32[3]) tuple(x, x)\n";
  CHECK(error_of(entry(pair + "ROOT r = f32[3] get-tuple-element(t), index=2")) == "get_tuple_element_c1 4:17");
  CHECK(error_of(entry(pair + "ROOT r = f32[2] get-tuple-element(t), index=1")) == "type 4:6");
  CHECK(error_of(entry(pair + "ROOT r = f32[3] get-tuple-element(t)")) == "attribute 4:17");
  CHECK(error_of(entry(pair + "ROOT r = f32[3] get-tuple-element(t, x), index=0")) == "attribute 4:17");
  CHECK(error_of(entry(pair + "ROOT r = f32[3] get-tuple-element(t), index=99999999999")) ==
        "get_tuple_element_c1 4:17");
}

TEST_CASE("asynchronous calls take operands late") {
  const std::string chain = R"(x = f32[3] parameter(0)
    s = ((f32[3]), f32[3], u32[]) async-start(x), calls=minus
    u = ((f32[3], f32[3]), f32[3], u32[]) async-update(s, y)
    v = ((f32[3], f32[3]), f32[3], u32[]) async-update(u)
    )";
  const std::string minus =
      "minus {\n p = f32[3] parameter(0)\n q = f32[3] parameter(1)\n ROOT r = f32[3] subtract(p, q)\n}\n";
  const auto error = [&](const std::string& end) {
    return error_of(minus + entry("y = f32[3] parameter(1)\n" + chain + end));
  };
  CHECK(error("ROOT d = f32[3] async-done(v)") == "none");
  CHECK(error("t = ((f32[3]), f32[3], u32[]) async-start(), calls=minus\nROOT d = f32[3] async-done(t, y, x)") ==
        "none");
  CHECK(error("ROOT d = f32[3] async-done(s)").starts_with("call_c2"));
  CHECK(error("ROOT d = f32[3] async-done(s, y, y)").starts_with("call_c2"));
  CHECK(error("ROOT d = f32[3] async-done(v, y)").starts_with("attribute"));
}
