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

using again = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %once = stablehlo.negate %x : tensor<4xf32>
    %twice = stablehlo.negate %once : tensor<4xf32>
    %root = stablehlo.sqrt %twice : tensor<4xf32>
    return %root : tensor<4xf32>
  }
)");

TEST_CASE("which rewrites were applied, and how often") {
  std::string explained, plain;
  explain<again>([&](std::string_view part) { explained += part; });
  explain<net>([&](std::string_view part) { plain += part; });
  CHECK(explained.find("rewrites: cancel_involution 1\n") == 0);
  CHECK(plain.find("no rewrites\n") == 0);
}

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
