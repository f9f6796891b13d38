// SPDX-License-Identifier: Apache-2.0
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;

namespace {

constexpr auto function = [](auto x, auto y) { return transpose(tanh(x) * 2 + y); };
using program_of_function = traced<decltype(function)>::program_for<tensor<f32, 2, 3>, tensor<f32, 2, 3>>;

struct collector {
  std::string text;
  void operator()(std::string_view part) { text += part; }
};

}  // namespace

TEST_CASE("a graph as text") {
  collector out;
  write_graph(program_of_function::graph(), out);
  CHECK(out.text ==
        "func @main(%0: tensor<2x3xf32>, %1: tensor<2x3xf32>) {\n"
        "  %2 = tanh %0 : tensor<2x3xf32>\n"
        "  %3 = constant value = 1 numbers : tensor<2x3xf32>\n"
        "  %4 = multiply %2, %3 : tensor<2x3xf32>\n"
        "  %5 = add %4, %1 : tensor<2x3xf32>\n"
        "  %6 = transpose %5 permutation = [1, 0] : tensor<3x2xf32>\n"
        "  return %6\n"
        "}\n");
}

TEST_CASE("regions are indented, attributes named") {
  collector out;
  const auto sum = [](auto x) { return reduce<ints{1}>(x, 0.0f, ops::add{}); };
  dump<traced<decltype(sum)>::program_for<tensor<f32, 2, 3>>>(out);
  CHECK(out.text.find("reduce %0, %1 dimensions = [1] : tensor<2xf32> {\n    (%2: tensor<f32>, %3: tensor<f32>)\n"
                      "    %4 = add %2, %3 : tensor<f32>\n    return %4\n  }\n") != std::string::npos);
}

TEST_CASE("a plan as text") {
  collector out;
  write_plan(program_of_function::graph(), program_of_function::plan(), out);
  CHECK(out.text.find("plan: ") == 0);
  CHECK(out.text.find("fused groups, arena " + std::to_string(program_of_function::arena_bytes) + " bytes") !=
        std::string::npos);
  CHECK(out.text.find("tanh") != std::string::npos);
  CHECK(out.text.find("reads %") != std::string::npos);
}

TEST_CASE("a drawing for Graphviz") {
  collector out;
  to_dot<program_of_function>(out);
  CHECK(out.text.find("digraph program {") == 0);
  CHECK(out.text.find("label=\"argument 1\"") != std::string::npos);
  CHECK(out.text.find("-> r0") != std::string::npos);
  CHECK(out.text.substr(out.text.size() - 2) == "}\n");
}

TEST_CASE("a drawing has no edge from what it does not show") {
  static constexpr auto layer = trace([](auto x, auto w, auto b) { return maximum(matmul(x, w) + b, b); });
  using program_of_layer = decltype(layer)::program_for<tensor<f32, 8, 16>, tensor<f32, 16, 10>, tensor<f32, 8, 10>>;
  collector out;
  to_dot<program_of_layer>(out);
  CHECK(out.text.find("label=\"dot_general\\nadd\\nmaximum\"") != std::string::npos);
  int edges = 0;
  for (std::size_t arrow = 0; (arrow = out.text.find(" -> ", arrow)) != std::string::npos; ++arrow, ++edges) {
    const std::size_t line = out.text.rfind('\n', arrow) + 1;
    CHECK(out.text.find("\n" + out.text.substr(line, arrow - line) + " [") != std::string::npos);
  }
  CHECK(edges == 4);
}
