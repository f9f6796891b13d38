// SPDX-License-Identifier: Apache-2.0
#include <tenon/pictures/traffic.hpp>

#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>
#include <tenon/graph/owned.hpp>
#include <tenon/graph/passes/simplify.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace tenon;
using namespace tenon::passes;
using namespace tenon::planning;

namespace {

struct traffic {
  index_t moved = 0, least = 0;
};
// Of a function of x: f32[8,16] and v: f32[16].
traffic traffic_of(std::string_view ops, std::string_view type) {
  const std::string text = "func.func @main(%x: tensor<8x16xf32>, %v: tensor<16xf32>) -> " + std::string(type) +
                           " {\n" + std::string(ops) + "\nreturn %r : " + std::string(type) + "\n}";
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  const owned_graph simple = simplified_program(program.program());
  const owned_plan plan = tenon::planned_program(simple.get());
  return {bytes_moved(simple.get(), plan.get()), minimum_bytes(simple.get(), plan.get())};
}
constexpr index_t matrix = 8 * 16 * 4, line = 16 * 4;

}  // namespace

TEST_CASE("a group reads its operands and writes its result") {
  const traffic sum = traffic_of(
      "%y = stablehlo.add %x, %x : tensor<8x16xf32>\n"
      "%r = stablehlo.negate %y : tensor<8x16xf32>",
      "tensor<8x16xf32>");
  CHECK(sum.moved == 2 * matrix);
  CHECK(sum.least == 2 * matrix);
}

TEST_CASE("what is repeated is read once") {
  const traffic bias = traffic_of(
      "%s = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>\n"
      "%r = stablehlo.add %x, %s : tensor<8x16xf32>",
      "tensor<8x16xf32>");
  CHECK(bias.moved == 2 * matrix + line);
  CHECK(bias.least == bias.moved);
}

TEST_CASE("of what is sliced only the part counts") {
  const traffic part = traffic_of(
      "%s = stablehlo.slice %x [2:4, 0:16] : (tensor<8x16xf32>) -> tensor<2x16xf32>\n"
      "%r = stablehlo.negate %s : tensor<2x16xf32>",
      "tensor<2x16xf32>");
  CHECK(part.moved == 4 * line);
  CHECK(part.least == 4 * line);
}

TEST_CASE("what no group can keep goes through memory, which the least amount leaves out") {
  // A scan of a whole stands between two ops on elements.
  const traffic apart = traffic_of(
      R"(%a = stablehlo.exponential %x : tensor<8x16xf32>
    %b = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %r = stablehlo.negate %b : tensor<8x16xf32>)",
      "tensor<8x16xf32>");
  CHECK(apart.least == 2 * matrix);
  CHECK(apart.moved > apart.least);
}

TEST_CASE("a result that is an argument is not written, and what only renames costs nothing") {
  CHECK(traffic_of("%r = stablehlo.reshape %v : (tensor<16xf32>) -> tensor<4x4xf32>", "tensor<4x4xf32>").least == 0);
  const traffic renamed = traffic_of(
      "%s = stablehlo.reshape %x : (tensor<8x16xf32>) -> tensor<128xf32>\n"
      "%r = stablehlo.negate %s : tensor<128xf32>",
      "tensor<128xf32>");
  CHECK(renamed.moved == 2 * matrix);
  CHECK(renamed.least == 2 * matrix);
}
