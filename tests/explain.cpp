// SPDX-License-Identifier: Apache-2.0
#include <tenon/explain.hpp>
#include <tenon/programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;

using net = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %sum = stablehlo.add %x, %x : tensor<4xf32>
    %product = stablehlo.multiply %sum, %x : tensor<4xf32>
    return %product : tensor<4xf32>
  }
)");

TEST_CASE("explanations and pictures of a program") {
  std::string explained, dumped, drawn;
  explain<net>([&](std::string_view part) { explained += part; });
  dump<net>([&](std::string_view part) { dumped += part; });
  to_dot<net>([&](std::string_view part) { drawn += part; });
  CHECK(explained.find("multiply") != std::string::npos);
  CHECK(dumped.find("stablehlo") == std::string::npos);
  CHECK(dumped.find("add") != std::string::npos);
  CHECK(drawn.find("digraph") != std::string::npos);
  CHECK(to_svg(net::code::graph(), net::code::graph().yields_of(net::code::graph().regions.data[0])[0]).find("<svg") ==
        0);
}
