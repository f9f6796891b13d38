// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

const std::string zero = "  %zero = stablehlo.constant dense<0.0> : tensor<f64>\n";

// A region of two numbers by one op.
std::string region(const std::string& op, const std::string& element = "f64") {
  const std::string of = "tensor<" + element + ">";
  return "({\n^bb0(%p: " + of + ", %q: " + of + "):\n  %r = stablehlo." + op + " %p, %q : " + of +
         "\n  stablehlo.return %r : " + of + "\n})";
}

}  // namespace

TEST_CASE("folds") {
  for (const char* op : {"add", "maximum", "minimum", "multiply"}) {
    const std::string initial = op[0] == 'a'   ? "0.0"
                                : op[1] == 'u' ? "2.0"
                                : op[1] == 'a' ? "0xFFF0000000000000"
                                               : "0x7FF0000000000000";
    check_gradient(function({"2x3x4xf64"},
                            "  %0 = stablehlo.constant dense<" + initial +
                                "> : tensor<f64>\n  %1 = stablehlo.sine %a : tensor<2x3x4xf64>\n"
                                "  %y0 = stablehlo.reduce(%1 init: %0) applies stablehlo." +
                                op +
                                " across dimensions = [0, 2] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<3xf64>\n"
                                "  %y1 = stablehlo.reduce(%a init: %0) applies stablehlo." +
                                op + " across dimensions = [0, 1, 2] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<f64>",
                            {"3xf64", "f64"}));
  }
  check_gradient(function(
      {"2x3xf64", "f64"},
      "  %y0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf64>, "
      "tensor<f64>) -> tensor<2xf64>",
      {"2xf64"}));
}

TEST_CASE("products with zeros") {
  check_gradient(
      function(
          {"4xf64"},
          "  %0 = stablehlo.constant dense<1.0> : tensor<f64>\n"
          "  %y0 = stablehlo.reduce(%a init: %0) applies stablehlo.multiply across dimensions = [0] : (tensor<4xf64>, "
          "tensor<f64>) -> tensor<f64>",
          {"f64"}),
      {.near = {2, 0, 3, 0.5}});
}

TEST_CASE("windows") {
  const auto check = [](const std::string& op, const std::string& initial, const std::string& windows,
                        const std::string& to, const std::string& from = "5x6xf64") {
    check_gradient(function({from},
                            "  %0 = stablehlo.constant dense<" + initial +
                                "> : tensor<f64>\n  %1 = stablehlo.sine %a : tensor<" + from +
                                ">\n  %y0 = \"stablehlo.reduce_window\"(%1, %0) <{" + windows + "}> " + region(op) +
                                " : (tensor<" + from + ">, tensor<f64>) -> tensor<" + to + ">",
                            {to}));
  };
  check("add", "0.0", "window_dimensions = array<i64: 2, 3>", "4x4xf64");
  check("add", "0.0",
        "window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [1, 2]]> : "
        "tensor<2x2xi64>",
        "3x7xf64");
  check("add", "0.0",
        "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 2, 1>, "
        "window_dilations = array<i64: 1, 3>, padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>",
        "9x2xf64");
  check("maximum", "0xFFF0000000000000", "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 1>",
        "2x5xf64");
  check("minimum", "0x7FF0000000000000",
        "window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 0]]> : "
        "tensor<2x2xi64>",
        "5x3xf64");
  // Sums so far.
  check("add", "0.0", "window_dimensions = array<i64: 6>, padding = dense<[[5, 0]]> : tensor<1x2xi64>", "6xf64",
        "6xf64");
}

TEST_CASE("sorted numbers") {
  check_gradient(function({"3x5xf64", "3x5xf64"},
                          "  %y0, %y1 = \"stablehlo.sort\"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({\n"
                          "^bb0(%p: tensor<f64>, %q: tensor<f64>, %r: tensor<f64>, %s: tensor<f64>):\n"
                          "  %t = stablehlo.compare GT, %p, %q : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
                          "  stablehlo.return %t : tensor<i1>\n"
                          "}) : (tensor<3x5xf64>, tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3x5xf64>)",
                          {"3x5xf64", "3x5xf64"}));
  check_gradient(function({"2x6xf64"},
                          "  %0 = stablehlo.sine %a : tensor<2x6xf64>\n"
                          "  %y0, %y1 = chlo.top_k(%0, k = 2) : tensor<2x6xf64> -> (tensor<2x2xf64>, tensor<2x2xi32>)",
                          {"2x2xf64", "2x2xi32"}));
}

TEST_CASE("normalisation") {
  const std::string x = "tensor<2x3x4xf64>", v = "tensor<3xf64>";
  check_gradient(function({"2x3x4xf64", "3xf64", "3xf64"},
                          "  %y0, %y1, %y2 = \"stablehlo.batch_norm_training\"(%a, %b, %c) <{epsilon = 1.0e-03 : f32, "
                          "feature_index = 1 : "
                          "i64}> : (" +
                              x + ", " + v + ", " + v + ") -> (" + x + ", " + v + ", " + v + ")",
                          {"2x3x4xf64", "3xf64", "3xf64"}),
                 {.tolerance = 1e-5});
  check_gradient(function({"2x3x4xf64", "3xf64", "3xf64", "3xf64", "3xf64"},
                          "  %y0 = \"stablehlo.batch_norm_inference\"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : f32, "
                          "feature_index = 1 : "
                          "i64}> : (" +
                              x + ", " + v + ", " + v + ", " + v + ", " + v + ") -> " + x,
                          {"2x3x4xf64"}),
                 {.low = 0.5, .high = 2});
  check_gradient(function({"2x3x4xf64", "3xf64", "3xf64", "3xf64", "2x3x4xf64"},
                          "  %y0, %y1, %y2 = \"stablehlo.batch_norm_grad\"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-03 : "
                          "f32, feature_index = 1 "
                          ": i64}> : (" +
                              x + ", " + v + ", " + v + ", " + v + ", " + x + ") -> (" + x + ", " + v + ", " + v + ")",
                          {"2x3x4xf64", "3xf64", "3xf64"}),
                 {.low = 0.5, .high = 2});
}
