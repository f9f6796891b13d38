// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/movement.hpp>

#include <tenon/ops/movement.hpp>

#include <graph/passes/bounded/static_form.hpp>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::test;

namespace {

static_form moved(const std::string& from, const std::string& op, const std::string& to) {
  return {"%a: " + from, "%r = " + op + " : (" + from + ") -> " + to, "%r : " + to};
}
static_form reshaped(const std::string& from, const std::string& to) { return moved(from, "stablehlo.reshape %a", to); }
int checks(const static_form& form, size_relation relation) {
  int count = 0;
  for (const graph_node& node : form.program().nodes)
    if (node.kind == kind_of_op<ops::bounded_size>)
      count += read_attributes<ops::bounded_size>(form.program().words.data + node.words).relation == relation;
  return count;
}

}  // namespace

TEST_CASE("elements that keep their places bring their padding along") {
  const static_form turned = moved("tensor<?5x?3xf32>", "stablehlo.transpose %a, dims = [1, 0]", "tensor<?3x?5xf32>");
  CHECK(turned.count<ops::transpose>() == 1);
  CHECK(turned.masks() + turned.gathers() == 0);
  const static_form repeated = moved("tensor<?5xf32>", "stablehlo.broadcast_in_dim %a, dims = [1]", "tensor<3x?5xf32>");
  CHECK(repeated.masks() + repeated.gathers() == 0);
}

TEST_CASE("what crosses the end of a dimension is found by indices") {
  const auto reversed = [](const std::string& along) {
    const std::string type = "tensor<?5x3xf32>";
    return static_form("%a: " + type, "%r = stablehlo.reverse %a, dims = [" + along + "] : " + type, "%r : " + type);
  };
  CHECK(reversed("0").gathers() == 1);
  CHECK(reversed("1").gathers() == 0);
  CHECK(reversed("1").count<ops::reverse>() == 1);
}

TEST_CASE("reshapes that keep the elements together move nothing") {
  CHECK(reshaped("tensor<?5x3xf32>", "tensor<?15xf32>").gathers() == 0);
  CHECK(reshaped("tensor<?5x2x3xf32>", "tensor<?5x6xf32>").gathers() == 0);
  CHECK(reshaped("tensor<?15xf32>", "tensor<?5x3xf32>").gathers() == 0);
  CHECK(reshaped("tensor<2x?3x4xf32>", "tensor<2x?12xf32>").gathers() == 0);
  // Behind another one there are gaps.
  CHECK(reshaped("tensor<2x?3xf32>", "tensor<?6xf32>").gathers() == 1);
}

TEST_CASE("a reshape whose sizes are not decided is refused") {
  CHECK(!reshaped("tensor<?6xf32>", "tensor<?2x?3xf32>").refusal().empty());
  CHECK(reshaped("tensor<?6xf32>", "tensor<2x?3xf32>").refusal().empty());
}

TEST_CASE("a size that is set is checked where it may be too large") {
  const static_form set(
      "%a: tensor<5xf32>, %n: tensor<i32>",
      "%r = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<5xf32>, tensor<i32>) -> tensor<?5xf32>",
      "%r : tensor<?5xf32>");
  CHECK(checks(set, size_relation::AT_MOST) == 1);
  // What was asked for is known to fit.
  const static_form same(
      "%a: tensor<5xf32>, %b: tensor<?5xf32>",
      "%n = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?5xf32>) -> tensor<i32>\n"
      "%r = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<5xf32>, tensor<i32>) -> tensor<?5xf32>",
      "%r : tensor<?5xf32>");
  CHECK(checks(same, size_relation::AT_MOST) == 1);
}

TEST_CASE("operands are written over the padding of those before") {
  const static_form joined(
      "%a: tensor<?5xf32>, %b: tensor<?4xf32>",
      "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?5xf32>, tensor<?4xf32>) -> tensor<?9xf32>",
      "%r : tensor<?9xf32>");
  CHECK(joined.count<ops::dynamic_update_slice>() == 1);
  CHECK(joined.masks() + joined.gathers() == 0);
  const static_form behind(
      "%a: tensor<5xf32>, %b: tensor<?4xf32>",
      "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<5xf32>, tensor<?4xf32>) -> tensor<?9xf32>",
      "%r : tensor<?9xf32>");
  CHECK(behind.count<ops::dynamic_update_slice>() == 0);
  const static_form others(
      "%a: tensor<?5x2xf32>, %b: tensor<?5x3xf32>",
      "%r = stablehlo.concatenate %a, %b, dim = 1 : (tensor<?5x2xf32>, tensor<?5x3xf32>) -> tensor<?5x5xf32>",
      "%r : tensor<?5x5xf32>");
  CHECK(others.count<ops::concatenate>() == 1);
  CHECK(others.count<ops::dynamic_update_slice>() == 0);
  CHECK(checks(others, size_relation::AGREE) == 1);
}

TEST_CASE("what was listed of sizes is found again") {
  // The second dimension of the result has the size that the first one of the operand has: nothing is left to check.
  const static_form found(
      "%a: tensor<?5xf32>, %b: tensor<?4xf32>",
      "%n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?5xf32>) -> tensor<i32>\n"
      "%m = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?4xf32>) -> tensor<i32>\n"
      "%p = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
      "%q = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>\n"
      "%s = stablehlo.concatenate %q, %p, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
      "%r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<?5xf32>, tensor<2xi32>) -> "
      "tensor<?4x?5xf32>",
      "%r : tensor<?4x?5xf32>");
  CHECK(checks(found, size_relation::AT_MOST) == 2);
  CHECK(checks(found, size_relation::AGREE) == 0);
}
