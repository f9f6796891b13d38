// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/rewrites.hpp>

#include <doctest/doctest.h>
#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>

#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::ir;

namespace {

using names = std::vector<std::string>;

std::string function_of(const std::string& arguments, const std::string& result, const std::string& body) {
  return "func.func @main(" + arguments + ") -> " + result + " { " + body + " return %r : " + result + " }";
}

// The ops that the result of a simplified program needs, without constants, in their order.
names needed_ops(const passes::owned_graph& simplified) {
  const graph& g = simplified.get();
  REQUIRE(g.functions.size == 1);
  std::vector<bool> needed(std::size_t(g.values.size), false);
  for (const int value : g.yields_of(g.regions.data[g.functions[0].region])) needed[std::size_t(value)] = true;
  names result;
  for (int n = g.nodes.size - 1; n >= 0; --n) {
    const graph_node& node = g.nodes.data[n];
    if (node.region != g.functions[0].region || !needed[std::size_t(node.results)]) continue;
    for (const int value : g.operands_of(node)) needed[std::size_t(value)] = true;
    if (!facts_of(node.kind).is_constant) result.insert(result.begin(), std::string(name_of_kind(node.kind)));
  }
  return result;
}
names ops_of(const std::string& text) { return needed_ops(simplified_program(read_program(text).program())); }

// The ops of f(x) for a tensor of 4 numbers; %c is a constant.
names of_unary(const std::string& type, const std::string& body, const std::string& constant = "0") {
  const std::string t = "tensor<4x" + type + ">";
  return ops_of(function_of("%x: " + t, t, "%c = stablehlo.constant dense<" + constant + "> : " + t + " " + body));
}

const names none{};

}  // namespace

TEST_CASE("neutral operands are dropped") {
  CHECK(of_unary("f32", "%r = stablehlo.multiply %x, %c : tensor<4xf32>", "1.0") == none);
  CHECK(of_unary("f32", "%r = stablehlo.multiply %c, %x : tensor<4xf32>", "1.000000e+00") == none);
  CHECK(of_unary("f64", "%r = stablehlo.add %x, %c : tensor<4xf64>", "-0.0") == none);
  CHECK(of_unary("bf16", "%r = stablehlo.subtract %x, %c : tensor<4xbf16>", "0.0") == none);
  CHECK(of_unary("f16", "%r = stablehlo.divide %x, %c : tensor<4xf16>", "1.0") == none);
  CHECK(of_unary("f32", "%r = stablehlo.maximum %x, %c : tensor<4xf32>", "0xFF800000") == none);
  CHECK(of_unary("f32", "%r = stablehlo.minimum %c, %x : tensor<4xf32>", "inf") == none);
  CHECK(of_unary("i32", "%r = stablehlo.add %x, %c : tensor<4xi32>") == none);
  CHECK(of_unary("ui8", "%r = stablehlo.and %x, %c : tensor<4xui8>", "255") == none);
  CHECK(of_unary("i8", "%r = stablehlo.and %x, %c : tensor<4xi8>", "-1") == none);
  CHECK(of_unary("i1", "%r = stablehlo.or %x, %c : tensor<4xi1>", "false") == none);
  CHECK(of_unary("i64", "%r = stablehlo.divide %x, %c : tensor<4xi64>", "1") == none);
}

TEST_CASE("operands that change a bit of some number are not dropped") {
  // -0 + 0 = 0, -0 - -0 = 0, 0 - x is no identity, 1 / x neither.
  CHECK(of_unary("f32", "%r = stablehlo.add %x, %c : tensor<4xf32>", "0.0") == names{"add"});
  CHECK(of_unary("f32", "%r = stablehlo.subtract %x, %c : tensor<4xf32>", "-0.0") == names{"subtract"});
  CHECK(of_unary("f32", "%r = stablehlo.subtract %c, %x : tensor<4xf32>", "0.0") == names{"subtract"});
  CHECK(of_unary("i32", "%r = stablehlo.divide %c, %x : tensor<4xi32>", "1") == names{"divide"});
  CHECK(of_unary("f32", "%r = stablehlo.multiply %x, %c : tensor<4xf32>", "[1.0, 1.0, 1.0, 2.0]") == names{"multiply"});
  CHECK(of_unary("f32", "%r = stablehlo.multiply %x, %c : tensor<4xf32>", "1.0000001") == names{"multiply"});
  CHECK(of_unary("f32", "%r = stablehlo.maximum %x, %c : tensor<4xf32>", "-3.4e38") == names{"maximum"});
}

TEST_CASE("ops that undo themselves are dropped") {
  CHECK(of_unary("f32", "%0 = stablehlo.negate %x : tensor<4xf32> %r = stablehlo.negate %0 : tensor<4xf32>") == none);
  CHECK(of_unary("i8", "%0 = stablehlo.not %x : tensor<4xi8> %r = stablehlo.not %0 : tensor<4xi8>") == none);
  CHECK(of_unary("f32",
                 "%0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32> "
                 "%r = stablehlo.reverse %0, dims = [0] : tensor<4xf32>") == none);
  CHECK(of_unary("f32",
                 "%0 = stablehlo.negate %x : tensor<4xf32> %1 = stablehlo.abs %0 : tensor<4xf32> "
                 "%r = stablehlo.negate %1 : tensor<4xf32>") == names{"negate", "abs", "negate"});
  const std::string t = "tensor<2x3xf32>";
  CHECK(ops_of(function_of("%x: " + t, t,
                           "%0 = stablehlo.reverse %x, dims = [0] : " + t +
                               " %r = stablehlo.reverse %0, dims = [1] : " + t)) == names{"reverse", "reverse"});
}

TEST_CASE("movements of movements are one") {
  CHECK(ops_of(function_of("%x: tensor<2x3x4xf32>", "tensor<2x3x4xf32>",
                           "%0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32> "
                           "%r = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> "
                           "tensor<2x3x4xf32>")) == none);
  CHECK(ops_of(function_of("%x: tensor<2x3x4xf32>", "tensor<3x4x2xf32>",
                           "%0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32> "
                           "%r = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x2x3xf32>) -> "
                           "tensor<3x4x2xf32>")) == names{"transpose"});
  CHECK(ops_of(function_of("%x: tensor<6xf32>", "tensor<6xf32>",
                           "%0 = stablehlo.reshape %x : (tensor<6xf32>) -> tensor<2x3xf32> "
                           "%1 = stablehlo.reshape %0 : (tensor<2x3xf32>) -> tensor<3x2xf32> "
                           "%r = stablehlo.reshape %1 : (tensor<3x2xf32>) -> tensor<6xf32>")) == none);
  CHECK(ops_of(function_of("%x: tensor<6xf32>", "tensor<3x2xf32>",
                           "%0 = stablehlo.reshape %x : (tensor<6xf32>) -> tensor<2x3xf32> "
                           "%r = stablehlo.reshape %0 : (tensor<2x3xf32>) -> tensor<3x2xf32>")) == names{"reshape"});
  CHECK(ops_of(function_of("%x: tensor<3xf32>", "tensor<2x3x4xf32>",
                           "%0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32> %r = "
                           "stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>")) ==
        names{"broadcast_in_dim"});
}

TEST_CASE("a barrier stays") {
  const std::string t = "tensor<4xf32>";
  CHECK(of_unary("f32", "%0 = stablehlo.optimization_barrier %x : " + t + " %r = stablehlo.optimization_barrier %0 : " +
                            t) == names{"optimization_barrier", "optimization_barrier"});
}

TEST_CASE("a selection whose branch is known is that branch") {
  const std::string arguments = "%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>", t = "tensor<4xf32>";
  const auto of = [&](const std::string& p, const std::string& branches) {
    return ops_of(function_of(arguments, t,
                              "%t = stablehlo.constant dense<true> : tensor<4xi1> %f = stablehlo.constant "
                              "dense<false> : tensor<i1> %n = stablehlo.negate %x : " +
                                  t + " %r = stablehlo.select " + p + ", " + branches + " : tensor<" +
                                  (p == "%f" ? "" : "4x") + "i1>, " + t));
  };
  CHECK(of("%t", "%n, %y") == names{"negate"});
  CHECK(of("%t", "%y, %n") == none);
  CHECK(of("%f", "%n, %y") == none);
  CHECK(of("%p", "%n, %n") == names{"negate"});
  CHECK(of("%p", "%n, %y") == names{"negate", "select"});
}

TEST_CASE("conversions there and back are dropped where each number survives them") {
  const auto of = [](const std::string& a, const std::string& b, const std::string& c) {
    const std::string from = "tensor<4x" + a + ">", middle = "tensor<4x" + b + ">", to = "tensor<4x" + c + ">";
    return int(ops_of(function_of("%x: " + from, to,
                                  "%0 = stablehlo.convert %x : (" + from + ") -> " + middle +
                                      " %r = stablehlo.convert %0 : (" + middle + ") -> " + to))
                   .size());
  };
  CHECK(of("f32", "f64", "f32") == 0);
  CHECK(of("bf16", "f32", "bf16") == 0);
  CHECK(of("f16", "f32", "f16") == 0);
  CHECK(of("i8", "f32", "i8") == 0);
  CHECK(of("i32", "f64", "i32") == 0);
  CHECK(of("ui8", "i16", "ui8") == 0);
  CHECK(of("i1", "f32", "i1") == 0);
  CHECK(of("bf16", "f32", "f64") == 1);
  CHECK(of("i8", "i32", "f32") == 1);
  CHECK(of("i16", "i32", "i8") == 1);
  // Rounded, cut, or with other signs on the way.
  CHECK(of("f64", "f32", "f64") == 2);
  CHECK(of("f16", "bf16", "f16") == 2);
  CHECK(of("bf16", "f16", "bf16") == 2);
  CHECK(of("i32", "f32", "i32") == 2);
  CHECK(of("i16", "bf16", "i16") == 2);
  CHECK(of("i8", "ui8", "i8") == 2);
  CHECK(of("i8", "ui32", "f32") == 2);
  CHECK(of("f32", "i1", "f32") == 2);
  CHECK(of("f32", "f64", "i32") == 2);
}

TEST_CASE("slices of what is joined are slices of a part") {
  const auto of = [](const std::string& slice, const std::string& result) {
    return ops_of(function_of("%x: tensor<2x4xf32>, %y: tensor<2x5xf32>", result,
                              "%0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x4xf32>, tensor<2x5xf32>) -> "
                              "tensor<2x9xf32> %r = stablehlo.slice %0 [" +
                                  slice + "] : (tensor<2x9xf32>) -> " + result));
  };
  CHECK(of("0:2, 0:4", "tensor<2x4xf32>") == none);
  CHECK(of("0:2, 4:9", "tensor<2x5xf32>") == none);
  CHECK(of("0:2, 5:9:3", "tensor<2x2xf32>") == names{"slice"});
  CHECK(of("0:2, 3:6", "tensor<2x3xf32>") == names{"concatenate", "slice"});
}

TEST_CASE("parts of complex numbers are what these were made of") {
  const std::string t = "tensor<4xf32>", z = "tensor<4xcomplex<f32>>";
  for (const std::string part : {"real", "imag"})
    CHECK(ops_of(function_of("%x: " + t + ", %y: " + t, t,
                             "%0 = stablehlo.complex %x, %y : " + z + " %r = stablehlo." + part + " %0 : (" + z +
                                 ") -> " + t)) == none);
}

TEST_CASE("floats that are computed of constants are constants, to the last bit") {
  const auto word_of = [](const std::string& type, const std::string& op, const std::string& a, const std::string& b) {
    const std::string t = "tensor<4x" + type + ">";
    const auto simplified =
        simplified_program(read_program(function_of("", t,
                                                    "%a = stablehlo.constant dense<" + a + "> : " + t +
                                                        " %b = stablehlo.constant "
                                                        "dense<" +
                                                        b + "> : " + t + " %r = stablehlo." + op + " %a, %b : " + t))
                               .program());
    const graph& g = simplified.get();
    const std::optional<graph_node> constant = constant_of(g, g.yields_of(g.regions.data[g.functions[0].region])[0]);
    if (!constant) return index_t(-1);
    return g.words.data[g.literals.data[g.words.data[constant->words]].first];
  };
  CHECK(word_of("f32", "add", "0.5", "0.25") == 0x3f400000);
  CHECK(word_of("f32", "divide", "1.0", "3.0") == 0x3eaaaaab);
  CHECK(word_of("f32", "multiply", "0x7F7FFFFF", "2.0") == 0x7f800000);
  CHECK(word_of("f32", "subtract", "1.0", "1.0") == 0);
  CHECK(word_of("f32", "multiply", "-2.0", "0.0") == index_t(0x80000000));
  CHECK(word_of("f64", "divide", "1.0", "3.0") == 0x3fd5555555555555);
  // NaN has a sign that processors choose; 0.1 in f32 is rounded by who reads it.
  CHECK(word_of("f32", "divide", "0.0", "0.0") == -1);
  CHECK(word_of("f32", "multiply", "0.1", "0.1") == -1);
}

TEST_CASE("each rewrite is switched off by its name") {
  const std::string t = "tensor<4xf32>";
  const graph_owner read =
      read_program(function_of("%x: " + t, t, "%0 = stablehlo.negate %x : " + t + " %r = stablehlo.negate %0 : " + t));
  const graph& g = read.program();
  passes::simplifying_progress progress;
  progress.switched_off = 1u << passes::all_rewrites::find("cancel_involution");
  CHECK(needed_ops(simplified_program(g, progress)) == names{"negate", "negate"});
  passes::simplifying_progress all;
  CHECK(needed_ops(simplified_program(g, all)) == none);
  CHECK(all.applied[passes::all_rewrites::find("cancel_involution")] == 1);
  CHECK(passes::all_rewrites::find("no such rewrite") == -1);
}
