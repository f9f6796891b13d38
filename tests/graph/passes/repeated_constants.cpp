// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/owned.hpp>

#include <doctest/doctest.h>
#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>

#include <string>
#include <string_view>

using namespace tenon;

namespace {

const std::string large = "tensor<512x512xf32>";

// A program whose %s is a large constant of one number, and whose %y has `result`.
passes::owned_plan plan_of(const std::string& arguments, const std::string& body, const std::string& result) {
  const std::string text = "func.func @main(" + arguments + ") -> " + result +
                           " { %s = stablehlo.constant dense<2.0> : " + large +
                           " %z = stablehlo.constant dense<0.0> : tensor<f32> %i = stablehlo.constant dense<3> : "
                           "tensor<i32> " +
                           body + " return %y : " + result + " }";
  const graph_owner parsed = read_program(text);
  REQUIRE(parsed.error().label == nullptr);
  const passes::owned_graph simplified = simplified_program(parsed.program());
  REQUIRE(simplified.get().functions.size == 1);
  return tenon::planned_program(simplified.get());
}

index_t constant_bytes(const std::string& arguments, const std::string& body, const std::string& result = large) {
  return plan_of(arguments, body, result).get().constant_bytes;
}

const std::string x = "%x: " + large, types = " : (" + large + ", tensor<f32>) -> ";

}  // namespace

TEST_CASE("no op makes a large constant of one number") {
  CHECK(constant_bytes(x, "%y = stablehlo.dot %x, %s : (" + large + ", " + large + ") -> " + large) < 1024);
  CHECK(constant_bytes(x, "%0 = stablehlo.reshape %s : (" + large +
                              ") -> tensor<512x2x256xf32> "
                              "%1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<512x2x256xf32>) -> "
                              "tensor<2x512x256xf32> %2 = stablehlo.reshape %1 : (tensor<2x512x256xf32>) -> " +
                              large + " %y = stablehlo.dot %x, %2 : (" + large + ", " + large + ") -> " + large) <
        1024);
  CHECK(constant_bytes(x, "%0 = stablehlo.concatenate %s, %x, dim = 0 : (" + large + ", " + large +
                              ") -> tensor<1024x512xf32> %y = stablehlo.slice %0 [256:768, 0:512] : "
                              "(tensor<1024x512xf32>) -> " +
                              large) < 1024);
  CHECK(constant_bytes("%x: tensor<4x4xf32>", "%y = stablehlo.dynamic_update_slice %s, %x, %i, %i : (" + large +
                                                  ", tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> " + large) < 1024);
  CHECK(constant_bytes(x, "%0 = stablehlo.add %s, %s : " + large + " %y = stablehlo.dot %x, %0 : (" + large + ", " +
                              large + ") -> " + large) < 1024);
  CHECK(constant_bytes("", "%y = stablehlo.sine %s : " + large) < 1024);
  CHECK(constant_bytes("", "%0:2 = stablehlo.while(%a = %i, %b = %s) : tensor<i32>, " + large +
                               " cond { %c = stablehlo.compare LT, %a, %i : (tensor<i32>, tensor<i32>) -> "
                               "tensor<i1> stablehlo.return %c : tensor<i1> } do { %d = stablehlo.add %a, %i : "
                               "tensor<i32> %e = stablehlo.sine %b : " +
                               large + " stablehlo.return %d, %e : tensor<i32>, " + large +
                               " } %y = stablehlo.sine %0#1 : " + large) < 1024);
}

TEST_CASE("one number padded by another takes no memory") {
  const std::string wide = "tensor<516x513xf32>";
  const passes::owned_plan padded =
      plan_of("%x: " + wide,
              "%p = stablehlo.pad %s, %z, low = [1, -1], high = [3, 2], interior = [0, 0]" + types + wide +
                  " %y = stablehlo.multiply %x, %p : " + wide,
              wide);
  CHECK(padded.get().constant_bytes < 1024);
  CHECK(padded.get().arena_bytes < 65536);
}

TEST_CASE("calls that are nested too deep, recursive or without a body are named") {
  const auto failure = [](const std::string& text) -> std::string {
    passes::simplifying_progress progress;
    const graph_owner parsed = read_program(text);
    REQUIRE(parsed.error().label == nullptr);
    const passes::owned_graph simplified = simplified_program(parsed.program(), progress);
    return progress.failure != nullptr ? progress.failure : "";
  };
  const std::string t = "tensor<4xf32>", rest = "(%x: " + t + ") -> " + t + " { %y = func.call @";
  std::string chain = "func.func @main" + rest + "f0(%x) : (" + t + ") -> " + t + " return %y : " + t + " }\n";
  for (int i = 0; i < 300; ++i)
    chain += "func.func private @f" + std::to_string(i) + rest + "f" + std::to_string(i + 1) + "(%x) : (" + t +
             ") -> " + t + " return %y : " + t + " }\n";
  CHECK(failure(chain + "func.func private @f300(%x: " + t + ") -> " + t + " { return %x : " + t + " }") ==
        "calls and regions are nested deeper than 96");
  CHECK(failure("func.func @main" + rest + "main(%x) : (" + t + ") -> " + t + " return %y : " + t + " }") ==
        "the calls are recursive");
}
