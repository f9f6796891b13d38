// SPDX-License-Identifier: Apache-2.0
#include <tenon/quantized/expressed_types.hpp>

#include <shared/read_program.hpp>
#include <tenon/graph/owned.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::passes;

// The names of the ops of a program whose quantized arithmetic is written out.
std::vector<std::string> ops_of(const std::string& text) {
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error() ? program.error().sentence : ""));
  const owned_graph dequantized = write_conversions<expressed_types>(program.program());
  const graph& g = dequantized.get();
  std::vector<std::string> names;
  for (const graph_node& node : g.nodes) {
    names.emplace_back(name_of_kind(node.kind));
    for (int r = 0; r < node.result_count; ++r) {
      CHECK(g.values.data[node.results + r].node == int(&node - g.nodes.data));
      CHECK(g.values.data[node.results + r].index == r);
    }
  }
  return names;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("elementwise ops compute with expressed values") {
  CHECK(ops_of(R"(
    func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.1>>, %b: tensor<2x!quant.uniform<i8:f32, 0.2>>)
        -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
      %0 = "stablehlo.multiply"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.1>>, tensor<2x!quant.uniform<i8:f32, 0.2>>)
          -> tensor<2x!quant.uniform<i8:f32, 0.5>>
      return %0 : tensor<2x!quant.uniform<i8:f32, 0.5>>
    })") == names{"uniform_dequantize", "uniform_dequantize", "multiply", "uniform_quantize"});
}

TEST_CASE("what only moves elements stays as it is") {
  CHECK(ops_of(R"(
    func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.1>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.1>> {
      %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>}
          : (tensor<2x3x!quant.uniform<i8:f32, 0.1>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.1>>
      return %0 : tensor<3x2x!quant.uniform<i8:f32, 0.1>>
    })") == names{"transpose"});
}

TEST_CASE("hybrid products dequantize one side") {
  CHECK(ops_of(R"(
    func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2x!quant.uniform<i8:f32:1, {0.1, 0.2}>>) -> tensor<2x2xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
          : (tensor<2x2xf32>, tensor<2x2x!quant.uniform<i8:f32:1, {0.1, 0.2}>>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    })") == names{"uniform_dequantize", "dot_general"});
}

TEST_CASE("each of several results is quantized by itself") {
  CHECK(ops_of(R"(
    func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.1>>, %b: tensor<3xf32>)
        -> tensor<3x!quant.uniform<i8:f32, 0.5>> {
      %0:3 = "stablehlo.batch_norm_training"(%a, %b, %b) {epsilon = 0.1 : f32, feature_index = 1 : i64}
          : (tensor<2x3x!quant.uniform<i8:f32, 0.1>>, tensor<3xf32>, tensor<3xf32>)
          -> (tensor<2x3x!quant.uniform<i8:f32, 0.2>>, tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<3xf32>)
      return %0#1 : tensor<3x!quant.uniform<i8:f32, 0.5>>
    })") == names{"uniform_dequantize", "batch_norm_training", "uniform_quantize", "uniform_quantize", "convert"});
}
