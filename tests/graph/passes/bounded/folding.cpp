// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/folding.hpp>

#include <graph/passes/bounded/static_form.hpp>

#include <string>

using namespace tenon;
using namespace tenon::test;

namespace {

const std::string sum_of =
    "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n%r = stablehlo.reduce(%a init: %zero) "
    "applies stablehlo.add across dimensions = ";

}  // namespace

TEST_CASE("sums hide padding where they fold it") {
  const static_form along("%a: tensor<?5x3xf32>", sum_of + "[0] : (tensor<?5x3xf32>, tensor<f32>) -> tensor<3xf32>",
                          "%r : tensor<3xf32>");
  CHECK(along.masks() == 1);
  CHECK(along.only<ops::reduce>().operand_count == 2);
  const static_form across("%a: tensor<?5x3xf32>", sum_of + "[1] : (tensor<?5x3xf32>, tensor<f32>) -> tensor<?5xf32>",
                           "%r : tensor<?5xf32>");
  CHECK(across.masks() == 0);
  const static_form both("%a: tensor<?5x?3xf32>", sum_of + "[0, 1] : (tensor<?5x?3xf32>, tensor<f32>) -> tensor<f32>",
                         "%r : tensor<f32>");
  CHECK(both.masks() == 1);
}

TEST_CASE("windows see initial values behind the end") {
  const auto windows = [](const std::string& size, const std::string& type, const std::string& result) {
    return static_form("%a: " + type,
                       "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                       "%r = \"stablehlo.reduce_window\"(%a, %zero) <{window_dimensions = array<i64: " +
                           size +
                           ">}> ({\n"
                           "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%s = stablehlo.add %x, %y : tensor<f32>\n"
                           "stablehlo.return %s : tensor<f32>\n}) : (" +
                           type + ", tensor<f32>) -> " + result,
                       "%r : " + result);
  };
  CHECK(windows("2, 1", "tensor<?5x3xf32>", "tensor<?4x3xf32>").masks() == 1);
  CHECK(windows("1, 2", "tensor<?5x3xf32>", "tensor<?5x2xf32>").masks() == 0);
}
