// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/owned.hpp>

#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::passes;
using namespace tenon::planning;

namespace {

std::string calls(std::string_view first, std::string_view second) {
  return "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = call @" + std::string(first) +
         "(%a) : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
         "func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
         "  %0 = call @" +
         std::string(second) +
         "(%a) : (tensor<4xf32>) -> tensor<4xf32>\n  %1 = stablehlo.add %0, %0 : tensor<4xf32>\n"
         "  return %1 : tensor<4xf32>\n}\n"
         "func.func private @root(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
         "  %0 = stablehlo.sqrt %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
}

}  // namespace

TEST_CASE("a graph and a plan keep what they hold when they are moved") {
  const std::string text = calls("twice", "root");
  const graph_owner program = read_program(text);
  REQUIRE(!program.error());
  owned_graph simplified = simplified_program(program.program());
  REQUIRE(simplified.get().functions.size == 1);
  CHECK(simplified.get().nodes.size == 2);
  const graph_node* const nodes = simplified.get().nodes.data;
  const owned_graph moved = std::move(simplified);
  CHECK(moved.get().nodes.data == nodes);
  CHECK(moved.get().nodes.size == 2);
  CHECK(moved.get().nodes.data[0].kind == kind_of_op<ops::sqrt>);
  CHECK(moved.get().nodes.data[1].kind == kind_of_op<ops::add>);

  owned_plan planned = tenon::planned_program(moved.get());
  CHECK_FALSE(planned.get().overflow());
  CHECK(planned.get().groups == 1);
  const plan_step* const steps = planned.get().steps.data;
  const int step_count = planned.get().steps.size;
  const owned_plan kept = std::move(planned);
  CHECK(kept.get().steps.data == steps);
  CHECK(kept.get().steps.size == step_count);
}

TEST_CASE("no functions: calls that go round in a circle, and more nodes than are allowed") {
  const std::string circle = calls("twice", "twice"), longer = calls("twice", "main"), fine = calls("twice", "root");
  for (const std::string* text : {&circle, &longer}) {
    const graph_owner program = read_program(*text);
    REQUIRE(!program.error());
    CHECK(simplified_program(program.program()).get().functions.size == 0);
  }
  const graph_owner program = read_program(fine);
  // Before they are simplified, calls are nodes, too.
  CHECK(simplified_program(program.program(), 4).get().functions.size == 1);
  CHECK(simplified_program(program.program(), 1).get().functions.size == 0);
}

TEST_CASE("static shapes, or why there are none") {
  const auto given = [](std::string_view op, bounded_refusal& refusal) {
    const std::string text =
        "func.func @main(%a: tensor<?x4xcomplex<f32>, #stablehlo.bounds<3, ?>>) -> "
        "tensor<?x4xcomplex<f32>, #stablehlo.bounds<3, ?>> {\n  %0 = " +
        std::string(op) + "\n  return %0 : tensor<?x4xcomplex<f32>, #stablehlo.bounds<3, ?>>\n}";
    const graph_owner program = read_program(text);
    REQUIRE_MESSAGE(!program.error(), std::string(program.error() ? program.error().sentence : ""));
    const owned_graph simplified = simplified_program(program.program());
    return static_program(simplified.get(), refusal).get().functions.size;
  };
  constexpr std::string_view type = "tensor<?x4xcomplex<f32>, #stablehlo.bounds<3, ?>>";
  bounded_refusal none;
  CHECK(given("stablehlo.negate %a : " + std::string(type), none) == 1);
  CHECK_FALSE(none);
  bounded_refusal refusal;
  CHECK(given("\"stablehlo.fft\"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 3, 4>} : (" +
                  std::string(type) + ") -> " + std::string(type),
              refusal) == 0);
  CHECK(refusal);
  CHECK(refusal.kind == kind_of_op<ops::fft>);
}
