// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

std::string unary(const std::string& op, const std::string& type = "3xf64") {
  const std::string of = "tensor<" + type + ">", full = op.find('.') == op.npos ? "stablehlo." + op : op;
  return function({type}, "  %y0 = " + full + " %a : " + of + (op.find("chlo") == 0 ? " -> " + of : ""), {type});
}
std::string binary(const std::string& op, const std::string& type = "3xf64") {
  const std::string of = "tensor<" + type + ">", full = op.find('.') == op.npos ? "stablehlo." + op : op;
  const std::string types = op.find("chlo") == 0 ? of + ", " + of + " -> " + of : of;
  return function({type, type}, "  %y0 = " + full + " %a, %b : " + types, {type});
}

}  // namespace

TEST_CASE("functions of one number") {
  for (const char* op : {"exponential", "exponential_minus_one", "logistic", "tanh", "tan", "sine", "cosine", "negate",
                         "chlo.square", "chlo.asin", "chlo.acos", "chlo.atan", "chlo.asinh", "chlo.atanh", "chlo.sinh",
                         "chlo.cosh", "chlo.erf", "chlo.erfc", "chlo.erf_inv"})
    check_gradient(unary(op), {.low = -0.8, .high = 0.8});
  for (const char* op : {"log", "log_plus_one", "sqrt", "rsqrt", "cbrt"})
    check_gradient(unary(op), {.low = 0.5, .high = 2});
  check_gradient(unary("chlo.acosh"), {.low = 1.5, .high = 3});
  check_gradient(unary("chlo.lgamma"), {.low = 0.5, .high = 3, .orders = 1});
  check_gradient(unary("chlo.digamma"), {.low = 0.5, .high = 3, .orders = 1});
  check_gradient(unary("abs"), {.low = 0.2, .high = 1});
  check_gradient(unary("abs"), {.low = -1, .high = -0.2});
}

TEST_CASE("functions of two numbers") {
  for (const char* op : {"add", "subtract", "multiply"}) check_gradient(binary(op));
  for (const char* op : {"divide", "power", "atan2", "maximum", "minimum"})
    check_gradient(binary(op), {.low = 0.5, .high = 2});
  check_gradient(binary("chlo.zeta"), {.low = 2.5, .high = 4, .orders = 1}, {1});
  check_gradient(binary("chlo.polygamma"), {.orders = 1, .near = {2, 1, 3}}, {1});
}

TEST_CASE("complex numbers") {
  for (const char* op : {"exponential", "tanh", "sine", "cosine", "negate", "logistic"})
    check_gradient(unary(op, "3xcomplex<f64>"), {.orders = 1});
  for (const char* op : {"log", "sqrt", "rsqrt"})
    check_gradient(unary(op, "3xcomplex<f64>"), {.low = 0.5, .high = 2, .orders = 1});
  for (const char* op : {"add", "subtract", "multiply", "divide"})
    check_gradient(binary(op, "2xcomplex<f64>"), {.low = 0.5, .high = 2});
  check_gradient(function({"3xf64", "3xf64"},
                          "  %0 = stablehlo.complex %a, %b : tensor<3xcomplex<f64>>\n"
                          "  %1 = stablehlo.exponential %0 : tensor<3xcomplex<f64>>\n"
                          "  %y0 = stablehlo.real %1 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>\n"
                          "  %y1 = stablehlo.imag %1 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>\n"
                          "  %y2 = stablehlo.abs %1 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>",
                          {"3xf64", "3xf64", "3xf64"}));
  check_gradient(function({"3xf64"},
                          "  %0 = stablehlo.convert %a : (tensor<3xf64>) -> tensor<3xcomplex<f64>>\n"
                          "  %y0 = stablehlo.exponential %0 : tensor<3xcomplex<f64>>",
                          {"3xcomplex<f64>"}));
  check_gradient(function({"3xcomplex<f64>"}, "  %y0 = chlo.conj %a : tensor<3xcomplex<f64>> -> tensor<3xcomplex<f64>>",
                          {"3xcomplex<f64>"}));
}

TEST_CASE("choices") {
  check_gradient(function({"4xi1", "4xf64", "4xf64"},
                          "  %y0 = stablehlo.select %a, %b, %c : tensor<4xi1>, tensor<4xf64>", {"4xf64"}),
                 {.integers = {{1, 0, 0, 1}}});
  check_gradient(
      function({"4xf64"},
               "  %0 = stablehlo.constant dense<-0.4> : tensor<f64>\n"
               "  %1 = stablehlo.constant dense<0.3> : tensor<f64>\n"
               "  %y0 = stablehlo.clamp %0, %a, %1 : (tensor<f64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>",
               {"4xf64"}));
  check_gradient(
      function({"f64", "f64", "4xf64"},
               "  %0 = stablehlo.constant dense<1.0> : tensor<f64>\n"
               "  %1 = stablehlo.add %b, %0 : tensor<f64>\n"
               "  %y0 = stablehlo.clamp %a, %c, %1 : (tensor<f64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>",
               {"4xf64"}),
      {.low = -0.5, .high = 0.4});
  check_gradient(binary("remainder"), {.low = 0.3, .high = 3});
  check_gradient(unary("floor"), {.low = 0.1, .high = 0.9});
  check_gradient(unary("sign"), {.low = 0.1, .high = 0.9});
  check_gradient(function({"3xcomplex<f64>"}, "  %y0 = stablehlo.sign %a : tensor<3xcomplex<f64>>", {"3xcomplex<f64>"}),
                 {.low = 0.3});
}
