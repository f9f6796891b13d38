// SPDX-License-Identifier: Apache-2.0
#include <tenon/pictures/svg.hpp>

#include "indexing/pictures.hpp"

#include <doctest/doctest.h>

#include <shared/read_program.hpp>

#include <string>

using namespace tenon;
using namespace tenon::ir;
using tenon::test::content_of;
using tenon::test::count;

// The picture of docs/indexing.md.
TEST_CASE("what a sum with its transpose reads") {
  const graph_owner program =
      read_program(R"(func.func @main(%x: tensor<6x6xf32>, %b: tensor<6xf32>) -> tensor<6x6xf32> {
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %s = stablehlo.add %x, %t : tensor<6x6xf32>
    %w = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
    %r = stablehlo.multiply %s, %w : tensor<6x6xf32>
    return %r : tensor<6x6xf32>
  })");
  const graph& g = program.program();
  const int result = g.nodes.data[3].results;
  const std::string picture = to_svg(g, result, 0, {{0, 3}, {4, 1}});
  // Where it has changed on purpose: the file is what to_svg gives.
  CHECK(picture == content_of("docs/pictures/transposed_sum.svg"));
  CHECK(count(picture, "argument 0 (6, 6)") == 1);
  CHECK(count(picture, "argument 1 (6)") == 1);
  CHECK(count(picture, "argument 0: (d0, d1) -&gt; (d1, d0)") == 1);

  // From the sum on: the leaves are the sum and what is broadcast.
  const std::string group = to_svg(g, result, 2);
  CHECK(count(group, "value ") == 2);
  CHECK(count(group, "argument 0") == 0);
}
