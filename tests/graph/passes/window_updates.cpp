// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/window_updates.hpp>

#include <doctest/doctest.h>
#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::ir;

namespace {

using names = std::vector<std::string>;

// The names of the ops that a scatter into 64 x 16 elements becomes, without constants and what stands in bodies.
names ops_of(const std::string& indices, const std::string& index_type, const std::string& update,
             const std::string& numbers, const std::string& body = "stablehlo.return %d : tensor<f32>") {
  const std::string operand = "tensor<64x16xf32>", by = "tensor<" + update + ">";
  const std::string scatter =
      "%r = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<" + numbers +
      ">}> ({ ^bb0(%c: tensor<f32>, %d: tensor<f32>): " + body + " }) : (" + operand + ", tensor<" + index_type +
      ">, " + by + ") -> " + operand;
  const std::string text = "func.func @main(%x: " + operand + ", %u: " + by +
                           ", %a: tensor<i32>, %b: tensor<i32>, %v: tensor<2xi32>, %w: tensor<2x1xi32>) -> " + operand +
                           " { " + indices + " " + scatter + " return %r : " + operand + " }";
  const graph_owner read = read_program(text);
  const passes::owned_graph simplified = simplified_program(read.program());
  const graph& g = simplified.get();
  CHECK(g.functions.size == 1);
  names found;
  for (const graph_node& node : g.nodes)
    if (node.region == g.functions[0].region && !facts_of(node.kind).is_constant)
      found.emplace_back(name_of_kind(node.kind));
  return found;
}

const std::string column = "update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]";
const std::string part = "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]";
const std::string element = "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]";
const std::string added = "%s = stablehlo.add %c, %d : tensor<f32> stablehlo.return %s : tensor<f32>";
const std::string at_3 = "%i = stablehlo.constant dense<3> : tensor<1xi32>";
const std::string at_1_2 = "%i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>";

}  // namespace

TEST_CASE("one window at a place that is known is an update of a slice") {
  CHECK(ops_of(at_3, "1xi32", "64xf32", column) == names{"reshape", "dynamic_update_slice"});
  CHECK(ops_of(at_3, "1xi32", "64xf32", column, added) == names{"reshape", "slice", "add", "dynamic_update_slice"});
  CHECK(ops_of(at_1_2, "2xi32", "62x12xf32", part) == names{"dynamic_update_slice"});
  CHECK(ops_of(at_1_2, "2xi32", "62x12xf32", part, added) == names{"slice", "add", "dynamic_update_slice"});
  // It lies beyond the operand.
  CHECK(ops_of("%i = stablehlo.constant dense<16> : tensor<1xi32>", "1xi32", "64xf32", column).empty());
  CHECK(ops_of("%i = stablehlo.constant dense<[1, -12]> : tensor<2xi32>", "2xi32", "62x12xf32", part).empty());
}

TEST_CASE("one window at a place that is computed is compared with the bounds") {
  CHECK(ops_of("%i = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>", "1xi32", "64xf32", column) ==
        names{"reshape", "clamp", "compare", "reshape", "dynamic_slice", "select", "dynamic_update_slice"});
  // Components are what the vector was put together from.
  CHECK(ops_of("%p = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32> "
               "%q = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32> %i = stablehlo.concatenate %p, %q, dim = 0 "
               ": (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>",
               "2xi32", "f32", element) == names{"reshape", "reshape", "concatenate", "clamp", "compare", "clamp",
                                                 "compare", "and", "reshape", "dynamic_slice", "select",
                                                 "dynamic_update_slice"});
  CHECK(ops_of("%i = stablehlo.add %v, %v : tensor<2xi32>", "2xi32", "f32", element, added) ==
        names{"add", "slice", "reshape", "clamp", "compare", "slice", "reshape", "clamp", "compare", "and", "reshape",
              "dynamic_slice", "add", "select", "dynamic_update_slice"});
}

TEST_CASE("components of a vector that empty parts were joined to, too") {
  const std::string joined =
      "%p = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32> "
      "%e = stablehlo.slice %v [0:0] : (tensor<2xi32>) -> tensor<0xi32> "
      "%i = stablehlo.concatenate %e, %p, %p, dim = 0 : (tensor<0xi32>, tensor<1xi32>, "
      "tensor<1xi32>) -> tensor<2xi32>";
  const names found = ops_of(joined, "2xi32", "f32", element);
  CHECK(std::count(found.begin(), found.end(), "slice") == 1);
}

TEST_CASE("other scatters stay") {
  const names kept{"scatter"};
  // A part of the window may lie in the operand.
  CHECK(ops_of(at_1_2, "2xi32", "64x12xf32", part) == kept);
  CHECK(ops_of("%i = stablehlo.add %v, %v : tensor<2xi32>", "2xi32", "62x12xf32", part) == names{"add", "scatter"});
  const std::string two =
      "update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], "
      "index_vector_dim = 1";
  CHECK(ops_of("%i = stablehlo.add %w, %w : tensor<2x1xi32>", "2x1xi32", "64x2xf32", two) == names{"add", "scatter"});
  CHECK(ops_of(at_3, "1xi32", "64xf32", column, "stablehlo.return %c : tensor<f32>") == kept);
  CHECK(ops_of(at_3, "1xi32", "64xf32", column,
               "%s = stablehlo.add %c, %d : tensor<f32> %t = stablehlo.multiply %s, %d : tensor<f32> stablehlo.return "
               "%t : tensor<f32>") == kept);
}
