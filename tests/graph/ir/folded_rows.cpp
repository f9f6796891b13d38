// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/folded_rows.hpp>

#include <shared/read_program.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::ir;

namespace {

// Of a fold of the axes of f32[4,1,3,5] by a body.
folded_rows rows_of(const std::string& axes, const std::string& result, const std::string& body,
                    bool* by_one = nullptr) {
  const std::string text =
      "func.func @main(%x: tensor<4x1x3x5xf32>, %z: tensor<f32>) -> tensor<" + result +
      "f32> {\n  %y = \"stablehlo.reduce\"(%x, %z) <{dimensions = array<i64: " + axes +
      ">}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    " + body +
      "\n    stablehlo.return %c : tensor<f32>\n  }) : (tensor<4x1x3x5xf32>, tensor<f32>) -> tensor<" + result +
      "f32>\n  return %y : tensor<" + result + "f32>\n}";
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), program.error().label);
  const graph& g = program.program();
  for (const graph_node& node : g.nodes) {
    if (node.kind != kind_of_op<ops::reduce>) continue;
    if (by_one != nullptr) *by_one = folds_by_one_op(g, node);
    return folded_rows_of(g, node);
  }
  FAIL("there is no fold");
  return {};
}
const std::string sum = "%c = stablehlo.add %a, %b : tensor<f32>";

}  // namespace

TEST_CASE("folds of the innermost axes have rows") {
  bool by_one = false;
  folded_rows rows = rows_of("3", "4x1x3x", sum, &by_one);
  CHECK(by_one);
  CHECK(rows.trailing);
  CHECK(rows.rows == 12);
  CHECK(rows.row == 5);
  rows = rows_of("2, 3", "4x1x", sum);
  CHECK(rows.trailing);
  CHECK(rows.rows == 4);
  CHECK(rows.row == 15);
  rows = rows_of("0, 1, 2, 3", "", sum);
  CHECK(rows.trailing);
  CHECK(rows.rows == 1);
  CHECK(rows.row == 60);
}

TEST_CASE("axes of size one lie anywhere") {
  const folded_rows rows = rows_of("1, 3", "4x3x", sum);
  CHECK(rows.trailing);
  CHECK(rows.rows == 12);
  CHECK(rows.row == 5);
}

TEST_CASE("folds of outer axes have none") {
  CHECK(!rows_of("0", "1x3x5x", sum).trailing);
  CHECK(!rows_of("0, 3", "1x3x", sum).trailing);
  CHECK(rows_of("0, 3", "1x3x", sum).rows == 3);
}

TEST_CASE("only one associative op on both arguments folds rows") {
  bool by_one = true;
  CHECK(rows_of("3", "4x1x3x", "%c = stablehlo.maximum %b, %a : tensor<f32>", &by_one).row == 5);
  CHECK(by_one);
  for (const std::string other :
       {"%c = stablehlo.subtract %a, %b : tensor<f32>", "%c = stablehlo.add %a, %a : tensor<f32>",
        "%d = stablehlo.add %a, %b : tensor<f32>\n%c = stablehlo.negate %d : tensor<f32>"}) {
    CHECK(rows_of("3", "4x1x3x", other, &by_one).row == 0);
    CHECK(!by_one);
  }
}
