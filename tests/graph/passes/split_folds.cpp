// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/split_folds.hpp>

#include <doctest/doctest.h>
#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>

#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::ir;

namespace {

// The shapes of what the folds of the simplified program give, in order.
std::vector<ints> folds_of(const std::string& shape, const std::string& axes, const std::string& result,
                           const std::string& op = "add") {
  const std::string of = "tensor<" + shape + ">", to = "tensor<" + result + ">";
  const graph_owner read =
      read_program("func.func @main(%a: " + of + ", %b: tensor<f32>) -> " + to +
                   " { %r = stablehlo.reduce(%a init: %b) applies stablehlo." + op + " across dimensions = [" + axes +
                   "] : (" + of + ", tensor<f32>) -> " + to + " return %r : " + to + " }");
  const passes::owned_graph simplified = simplified_program(read.program());
  const graph& g = simplified.get();
  std::vector<ints> found;
  for (const graph_node& node : g.nodes)
    if (facts_of(node.kind).folds) found.push_back(g.type_of_value(node.results).shape);
  return found;
}

}  // namespace

TEST_CASE("folds of many elements to few are split") {
  using shapes = std::vector<ints>;
  CHECK(folds_of("1024x1024xf32", "0, 1", "f32") == shapes{{1024}, {}});
  CHECK(folds_of("1024x1024xf32", "0, 1", "f32", "maximum") == shapes{{1024}, {}});
  CHECK(folds_of("8x64x512xf32", "0, 1", "512xf32") == shapes{{512}});
  CHECK(folds_of("16x128x128x4xf32", "0, 1, 2", "4xf32") == shapes{{16, 4}, {4}});
  // A single dimension is cut.
  CHECK(folds_of("1048576xf32", "0", "f32") == shapes{{64}, {}});
  CHECK(folds_of("4x131100xf32", "1", "4xf32") == shapes{{4, 60}, {4}});
}

TEST_CASE("folds of few elements, to many, or that cannot be cut, stay") {
  using shapes = std::vector<ints>;
  CHECK(folds_of("300x301xf32", "0, 1", "f32") == shapes{{}});
  CHECK(folds_of("1024x1024xf32", "1", "1024xf32") == shapes{{1024}});
  CHECK(folds_of("131101xf32", "0", "f32") == shapes{{}});  // a prime
}
