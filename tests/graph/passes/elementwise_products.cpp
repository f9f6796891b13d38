// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/elementwise_products.hpp>

#include <doctest/doctest.h>
#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>

#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::ir;

namespace {

// The names of the ops that a product becomes, without constants and what stands in bodies.
std::vector<std::string> ops_of(const std::string& lhs, const std::string& rhs, const std::string& result,
                                const std::string& batching, const std::string& contracting,
                                const std::string& algorithm = "") {
  const std::string of = "tensor<" + lhs + ">", by = "tensor<" + rhs + ">", to = "tensor<" + result + ">";
  const graph_owner read = read_program("func.func @main(%a: " + of + ", %b: " + by + ") -> " + to +
                                        " { %r = stablehlo.dot_general %a, %b, batching_dims = " + batching +
                                        ", contracting_dims = " + contracting + algorithm + " : (" + of + ", " + by +
                                        ") -> " + to + " return %r : " + to + " }");
  const passes::owned_graph simplified = simplified_program(read.program());
  const graph& g = simplified.get();
  CHECK(g.functions.size == 1);
  std::vector<std::string> names;
  for (const graph_node& node : g.nodes)
    if (node.region == g.functions[0].region && !facts_of(node.kind).is_constant)
      names.emplace_back(name_of_kind(node.kind));
  return names;
}

using names = std::vector<std::string>;
const names multiplied{"multiply"}, spread{"broadcast_in_dim", "multiply"},
    both_spread{"broadcast_in_dim", "broadcast_in_dim", "multiply"}, folded{"multiply", "reduce"},
    spread_and_folded{"broadcast_in_dim", "multiply", "reduce"}, kept{"dot_general"};

}  // namespace

TEST_CASE("products that sum nothing are multiplications") {
  CHECK(ops_of("16x4x16xf32", "16x4x16xf32", "16x4x16xf32", "[0, 1, 2] x [0, 1, 2]", "[] x []") == multiplied);
  CHECK(ops_of("5xf64", "7xf64", "5x7xf64", "[] x []", "[] x []") == both_spread);
  CHECK(ops_of("3x5xi32", "7x3xi32", "3x5x7xi32", "[0] x [1]", "[] x []") == both_spread);
  // What is in the order of the result stays.
  CHECK(ops_of("3x5xcomplex<f32>", "5x3xcomplex<f32>", "3x5xcomplex<f32>", "[0, 1] x [1, 0]", "[] x []") == spread);
  CHECK(ops_of("5x3xf32", "3x5xf32", "3x5xf32", "[1, 0] x [0, 1]", "[] x []") == spread);
}

TEST_CASE("a product that sums nothing is multiplied, whatever its dimensions are then") {
  const graph_owner read = read_program(
      "func.func @main(%a: tensor<5xf32>, %b: tensor<7xf32>) -> tensor<7x5xf32> { %r = stablehlo.dot_general %a, %b, "
      "contracting_dims = [] x [] : (tensor<5xf32>, tensor<7xf32>) -> tensor<5x7xf32> %t = stablehlo.transpose %r, "
      "dims = [1, 0] : (tensor<5x7xf32>) -> tensor<7x5xf32> return %t : tensor<7x5xf32> }");
  const passes::owned_graph simplified = simplified_program(read.program());
  for (const graph_node& node : simplified.get().nodes) CHECK(name_of_kind(node.kind) != "dot_general");
}

TEST_CASE("products of pairs of vectors are multiplications and a fold") {
  CHECK(ops_of("500x3xf32", "500x3xf32", "500xf32", "[0] x [0]", "[1] x [1]") == folded);
  CHECK(ops_of("3x500xf32", "3x500xf32", "500xf32", "[1] x [1]", "[0] x [0]") == folded);
  CHECK(ops_of("500x3xi64", "3x500xi64", "500xi64", "[0] x [1]", "[1] x [0]") == spread_and_folded);
  CHECK(ops_of("8x1x6xf32", "8x6x1xf32", "8x1x1xf32", "[0] x [0]", "[2] x [1]") ==
        names{"reshape", "reshape", "multiply", "reduce"});
  CHECK(ops_of("4x2x3xf32", "4x2x3xf32", "4xf32", "[0] x [0]", "[2, 1] x [2, 1]") == folded);
}

TEST_CASE("products of matrices, of one pair, and in another type stay") {
  CHECK(ops_of("8x2x6xf32", "8x6x1xf32", "8x2x1xf32", "[0] x [0]", "[2] x [1]") == kept);
  CHECK(ops_of("600xf32", "600xf32", "f32", "[] x []", "[0] x [0]") == kept);
  CHECK(ops_of("500x3xbf16", "500x3xbf16", "500xbf16", "[0] x [0]", "[1] x [1]") == kept);
  CHECK(ops_of("500x3xf32", "500x3xf32", "500xf64", "[0] x [0]", "[1] x [1]") == kept);
  CHECK(ops_of("500x3xi8", "500x3xi8", "500xi8", "[0] x [0]", "[1] x [1]") == kept);
  // It would be large before it is folded.
  CHECK(ops_of("1024x1024xf32", "1024x1024xf32", "1024xf32", "[1] x [1]", "[0] x [0]") == kept);
  CHECK(ops_of("1024x1024xf32", "1024x1024xf32", "1024xf32", "[0] x [0]", "[1] x [1]") == folded);
}
