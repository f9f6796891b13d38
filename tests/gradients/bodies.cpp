// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

const std::string two = "^bb0(%p: tensor<f64>, %q: tensor<f64>):\n";

// Associative: x + y + x * y, which is (1 + x) (1 + y) - 1.
const std::string joined = "({\n" + two +
                           "  %s = stablehlo.add %p, %q : tensor<f64>\n  %t = stablehlo.multiply %p, %q : "
                           "tensor<f64>\n  %r = stablehlo.add %s, %t : tensor<f64>\n  stablehlo.return %r : "
                           "tensor<f64>\n})";
std::string one_op(const std::string& op) {
  return "({\n" + two + "  %r = stablehlo." + op + " %p, %q : tensor<f64>\n  stablehlo.return %r : tensor<f64>\n})";
}
// Products of 2 x 2 matrices with equal diagonals and opposite corners: of complex numbers.
const std::string pairs =
    "({\n^bb0(%p: tensor<f64>, %q: tensor<f64>, %r: tensor<f64>, %s: tensor<f64>):\n"
    "  %0 = stablehlo.multiply %p, %r : tensor<f64>\n  %1 = stablehlo.multiply %q, %s : tensor<f64>\n"
    "  %2 = stablehlo.subtract %0, %1 : tensor<f64>\n  %3 = stablehlo.multiply %p, %s : tensor<f64>\n"
    "  %4 = stablehlo.multiply %q, %r : tensor<f64>\n  %5 = stablehlo.add %3, %4 : tensor<f64>\n"
    "  stablehlo.return %2, %5 : tensor<f64>, tensor<f64>\n})";

std::string folded_by(const std::string& body, const std::string& from, const std::string& dimensions,
                      const std::string& to) {
  return function({from, "f64"},
                  "  %0 = stablehlo.sine %a : tensor<" + from +
                      ">\n  %y0 = \"stablehlo.reduce\"(%0, %b) <{dimensions "
                      "= array<i64: " +
                      dimensions + ">}> " + body + " : (tensor<" + from + ">, tensor<f64>) -> tensor<" + to + ">",
                  {to});
}
std::string windows(const std::string& body, const std::string& numbers, const std::string& from,
                    const std::string& to) {
  return function({from, "f64"},
                  "  %0 = stablehlo.sine %a : tensor<" + from + ">\n  %y0 = \"stablehlo.reduce_window\"(%0, %b) <{" +
                      numbers + "}> " + body + " : (tensor<" + from + ">, tensor<f64>) -> tensor<" + to + ">",
                  {to});
}

}  // namespace

TEST_CASE("folds by any function") {
  check_gradient(folded_by(joined, "2x5x3xf64", "1", "2x3xf64"));
  check_gradient(folded_by(joined, "2x7x3xf64", "0, 1", "3xf64"));
  check_gradient(folded_by(joined, "6xf64", "0", "f64"));
  check_gradient(folded_by(joined, "1xf64", "0", "f64"));
  check_gradient(folded_by(joined, "0x3xf64", "0", "3xf64"));
  // Initial values that count.
  for (const char* op : {"multiply", "maximum", "minimum"})
    check_gradient(folded_by(one_op(op), "2x5xf64", "1", "2xf64"));
  check_gradient(function({"3x4xf64", "3x4xf64", "f64", "f64"},
                          "  %y0, %y1 = \"stablehlo.reduce\"(%a, %b, %c, %d) <{dimensions = array<i64: 1>}> " + pairs +
                              " : (tensor<3x4xf64>, tensor<3x4xf64>, tensor<f64>, tensor<f64>) -> (tensor<3xf64>, "
                              "tensor<3xf64>)",
                          {"3xf64", "3xf64"}));
}

TEST_CASE("a maximum that is the initial value has no gradient") {
  check_gradient(function({"4xf64"},
                          "  %0 = stablehlo.constant dense<9.0> : tensor<f64>\n  %1 = stablehlo.reduce(%a init: %0) "
                          "applies stablehlo.maximum across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> "
                          "tensor<f64>\n  %2 = \"stablehlo.reduce_window\"(%a, %0) <{window_dimensions = array<i64: "
                          "2>}> " +
                              one_op("maximum") +
                              " : (tensor<4xf64>, tensor<f64>) -> tensor<3xf64>\n  %3 = stablehlo.broadcast_in_dim "
                              "%1, dims = [] : (tensor<f64>) -> tensor<3xf64>\n  %y0 = stablehlo.multiply %2, %3 : "
                              "tensor<3xf64>",
                          {"3xf64"}));
}

TEST_CASE("windows by any function") {
  const std::string wide = "window_dimensions = array<i64: 2, 3>";
  check_gradient(windows(joined, wide, "4x5xf64", "3x3xf64"));
  check_gradient(windows(one_op("multiply"), wide + ", window_strides = array<i64: 2, 1>", "4x5xf64", "2x3xf64"));
  check_gradient(windows(one_op("add"), wide, "4x5xf64", "3x3xf64"));
  check_gradient(windows(one_op("maximum"), wide, "4x5xf64", "3x3xf64"));
  for (const char* op : {"multiply", "minimum"})
    check_gradient(windows(one_op(op),
                           "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>, base_dilations = "
                           "array<i64: 2, 1>, window_dilations = array<i64: 1, 3>, padding = dense<[[0, 1], [1, 0]]> : "
                           "tensor<2x2xi64>",
                           "5x6xf64", "9x2xf64"));
  // Products so far.
  check_gradient(windows(one_op("multiply"),
                         "window_dimensions = array<i64: 7>, padding = dense<[[6, 0]]> : "
                         "tensor<1x2xi64>",
                         "7xf64", "7xf64"));
  check_gradient(windows(joined, "window_dimensions = array<i64: 5>", "3xf64", "0xf64"));
  check_gradient(function({"5xf64", "5xf64", "f64", "f64"},
                          "  %y0, %y1 = \"stablehlo.reduce_window\"(%a, %b, %c, %d) <{window_dimensions = array<i64: "
                          "3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> " +
                              pairs +
                              " : (tensor<5xf64>, tensor<5xf64>, tensor<f64>, tensor<f64>) -> (tensor<5xf64>, "
                              "tensor<5xf64>)",
                          {"5xf64", "5xf64"}));
}

TEST_CASE("mapped functions") {
  const std::string x = "tensor<2x3xf64>", s = "tensor<f64>";
  const auto mapped = [&](const std::string& body) {
    return function({"2x3xf64", "2x3xf64"},
                    "  %y0 = \"stablehlo.map\"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({\n" + two + body +
                        "  stablehlo.return %r : " + s + "\n}) : (" + x + ", " + x + ") -> " + x,
                    {"2x3xf64"});
  };
  check_gradient(mapped("  %k = stablehlo.constant dense<2.0> : tensor<f64>\n  %t = stablehlo.multiply %p, %k : " + s +
                        "\n  %u = stablehlo.sine %t : " + s + "\n  %r = stablehlo.multiply %u, %q : " + s + "\n"));
  check_gradient(mapped("  %z = stablehlo.constant dense<0.0> : tensor<f64>\n  %c = stablehlo.compare LT, %p, %z : (" +
                        s + ", " + s +
                        ") -> tensor<i1>\n  %r = \"stablehlo.if\"(%c) ({\n    %t = stablehlo.multiply %p, "
                        "%q : " +
                        s + "\n    stablehlo.return %t : " + s + "\n  }, {\n    stablehlo.return %q : " + s +
                        "\n  }) : (tensor<i1>) -> " + s + "\n"));
}
