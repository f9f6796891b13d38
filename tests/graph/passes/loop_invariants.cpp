// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/loop_invariants.hpp>

#include <doctest/doctest.h>
#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>

#include <string>
#include <string_view>
#include <vector>

using namespace tenon;
using namespace tenon::ir;

namespace {

// How often an op that is needed stands in the function itself, and how often in its regions.
struct places {
  int in_front = 0, inside = 0;
};
places places_of(const graph& g, std::string_view name) {
  places found;
  std::vector<bool> is_read(std::size_t(g.values.size), false);
  for (const graph_region& region : g.regions)
    for (int value : g.yields_of(region)) is_read[std::size_t(value)] = true;
  for (int n = g.nodes.size - 1; n >= 0; --n) {
    const graph_node& node = g.nodes.data[n];
    bool needed = node.region_count > 0;
    for (int r = 0; r < node.result_count; ++r) needed = needed || is_read[std::size_t(node.results + r)];
    if (!needed) continue;
    for (int value : g.operands_of(node)) is_read[std::size_t(value)] = true;
    if (name_of_kind(node.kind) != name) continue;
    ++(node.region == g.functions.data[0].region ? found.in_front : found.inside);
  }
  return found;
}
places places_in(const std::string& text, std::string_view name) {
  const graph_owner read = read_program(text);
  const passes::owned_graph simplified = simplified_program(read.program());
  return places_of(simplified.get(), name);
}

// A loop of 5 turns over a counter, x and y, of which y stays; `body` computes %next from %x and %y.
std::string loop(const std::string& body, const std::string& result = "%next") {
  return R"(func.func @main(%a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = "stablehlo.while"(%zero, %a, %b) ({
  ^bb0(%i: tensor<i32>, %x: tensor<32xf32>, %y: tensor<32xf32>):
    %five = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %x: tensor<32xf32>, %y: tensor<32xf32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
)" + body +
         "    stablehlo.return %j, " + result + R"(, %y : tensor<i32>, tensor<32xf32>, tensor<32xf32>
  }) : (tensor<i32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<i32>, tensor<32xf32>, tensor<32xf32>)
  return %r#1 : tensor<32xf32>
})";
}

}  // namespace

TEST_CASE("what turns compute alike is computed in front of the loop") {
  const std::string body = R"(
    %t = stablehlo.tanh %y : tensor<32xf32>
    %u = stablehlo.exponential %t : tensor<32xf32>
    %next = stablehlo.add %x, %u : tensor<32xf32>
)";
  CHECK(places_in(loop(body), "tanh").in_front == 1);
  CHECK(places_in(loop(body), "tanh").inside == 0);
  CHECK(places_in(loop(body), "exponential").in_front == 1);
  CHECK(places_in(loop(body), "add").inside == 2);
}

TEST_CASE("a mask of constants is computed in front of the loop") {
  const std::string body = R"(
    %n = stablehlo.iota dim = 0 : tensor<32xi32>
    %half = stablehlo.constant dense<16> : tensor<32xi32>
    %is = stablehlo.compare LT, %n, %half : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %mask = stablehlo.convert %is : (tensor<32xi1>) -> tensor<32xf32>
    %next = stablehlo.multiply %x, %mask : tensor<32xf32>
)";
  CHECK(places_in(loop(body), "convert").in_front == 1);
  CHECK(places_in(loop(body), "convert").inside == 0);
}

TEST_CASE("what changes stays in the loop, and so does a single op that is fused") {
  CHECK(places_in(loop(R"(
    %t = stablehlo.tanh %x : tensor<32xf32>
    %u = stablehlo.exponential %t : tensor<32xf32>
    %next = stablehlo.add %x, %u : tensor<32xf32>
)"),
                  "tanh")
            .in_front == 0);
  CHECK(places_in(loop(R"(
    %t = stablehlo.tanh %y : tensor<32xf32>
    %next = stablehlo.add %x, %t : tensor<32xf32>
)"),
                  "tanh")
            .in_front == 0);
  // y is another one in each turn.
  std::string changing = loop(R"(
    %t = stablehlo.tanh %y : tensor<32xf32>
    %u = stablehlo.exponential %t : tensor<32xf32>
    %next = stablehlo.add %x, %u : tensor<32xf32>
)");
  changing.replace(changing.find("%next, %y"), 9, "%next, %x");
  CHECK(places_in(changing, "tanh").in_front == 0);
}

TEST_CASE("what is computed in a branch is computed there only") {
  CHECK(places_in(loop(R"(
    %which = stablehlo.constant dense<true> : tensor<i1>
    %next = "stablehlo.if"(%which) ({
      %t = stablehlo.tanh %y : tensor<32xf32>
      %u = stablehlo.exponential %t : tensor<32xf32>
      %v = stablehlo.add %x, %u : tensor<32xf32>
      stablehlo.return %v : tensor<32xf32>
    }, {
      stablehlo.return %x : tensor<32xf32>
    }) : (tensor<i1>) -> tensor<32xf32>
)"),
                  "tanh")
            .in_front == 0);
}

TEST_CASE("a body that a function holds") {
  std::string text = loop("    %next = func.call @step(%x, %y) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>\n");
  text += R"(
func.func private @step(%x: tensor<32xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %t = stablehlo.tanh %y : tensor<32xf32>
  %u = stablehlo.exponential %t : tensor<32xf32>
  %next = stablehlo.add %x, %u : tensor<32xf32>
  return %next : tensor<32xf32>
})";
  CHECK(places_in(text, "tanh").in_front == 1);
  CHECK(places_in(text, "tanh").inside == 0);
}

// Their values have not been written where the op that joins them is.
TEST_CASE("operands without elements in a loop") {
  const std::string body = R"(
    %none = stablehlo.slice %x [0:0] : (tensor<32xf32>) -> tensor<0xf32>
    %few = stablehlo.broadcast_in_dim %none, dims = [0] : (tensor<0xf32>) -> tensor<0xf32>
    %t = stablehlo.add %x, %y : tensor<32xf32>
    %next = stablehlo.concatenate %few, %t, %none, dim = 0 : (tensor<0xf32>, tensor<32xf32>, tensor<0xf32>) -> tensor<32xf32>
)";
  CHECK(places_in(loop(body), "concatenate").inside == 0);
  CHECK(places_in(loop(body), "add").inside == 2);
}
