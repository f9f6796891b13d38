// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/lookup.hpp>

#include <graph/passes/bounded/static_form.hpp>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::test;

namespace {

static_form scattered(const std::string& input, const std::string& indices, const std::string& updates) {
  return {
      "%a: " + input + ", %i: " + indices + ", %u: " + updates,
      "%r = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = "
      "[0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
      "%s = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) : (" +
          input + ", " + indices + ", " + updates + ") -> " + input,
      "%r : " + input};
}

}  // namespace

TEST_CASE("slices begin where they fit into what is there") {
  const auto sliced = [](const std::string& type, const std::string& result) {
    return static_form("%a: " + type + ", %i: tensor<i32>",
                       "%r = stablehlo.dynamic_slice %a, %i, sizes = [2] : (" + type + ", tensor<i32>) -> " + result,
                       "%r : " + result);
  };
  const static_form found = sliced("tensor<?5xf32>", "tensor<2xf32>");
  CHECK(found.only<ops::dynamic_slice>().operand_count == 2);
  CHECK(found.count<ops::minimum>() + found.count<ops::clamp>() > 0);
  // That there are two elements is checked, beside the bound of the argument.
  CHECK(found.count<ops::bounded_size>() == 2);
}

TEST_CASE("updates that are padding are marked") {
  const static_form some = scattered("tensor<5xf32>", "tensor<?4x1xi32>", "tensor<?4xf32>");
  const graph_node& marked = some.only<ops::scatter>();
  CHECK(marked.operand_count == 5);
  CHECK(marked.result_count == 2);
  const graph& g = some.program();
  CHECK(g.regions[g.regions_of(marked)[0]].argument_count == 4);
  const static_form all = scattered("tensor<?5xf32>", "tensor<4x1xi32>", "tensor<4xf32>");
  CHECK(all.only<ops::scatter>().operand_count == 3);
}

TEST_CASE("gathered rows are as many as index vectors") {
  const static_form found(
      "%a: tensor<?5x3xf32>, %i: tensor<?4x1xi32>",
      "%r = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
      "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
      "array<i64: 1, 3>}> : (tensor<?5x3xf32>, tensor<?4x1xi32>) -> tensor<?4x3xf32>",
      "%r : tensor<?4x3xf32>");
  CHECK(found.gathers() == 1);
  CHECK(found.masks() == 0);
}
