// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

// While any element of the first value is below 10: those that are, x becomes x * 1.5 + a * sin(x) + 1.
std::string grown(const std::string& type, const std::string& truth, const std::string& any) {
  const std::string of = " : " + type, compared = " : (" + type + ", " + type + ") -> " + truth;
  return "  %y0, %y1 = stablehlo.while(%x = %b, %s = %a)" + of + ", " + type +
         "\n  cond {\n    %ten = stablehlo.constant dense<10.0>" + of +
         "\n    %below = stablehlo.compare LT, %x, %ten" + compared + "\n" + any +
         "  } do {\n    %ten = stablehlo.constant dense<10.0>" + of + "\n    %half = stablehlo.constant dense<1.5>" +
         of + "\n    %one = stablehlo.constant dense<1.0>" + of + "\n    %below = stablehlo.compare LT, %x, %ten" +
         compared + "\n    %p = stablehlo.multiply %x, %half" + of + "\n    %q = stablehlo.sine %x" + of +
         "\n    %r = stablehlo.multiply %q, %a" + of + "\n    %t = stablehlo.add %p, %r" + of +
         "\n    %u = stablehlo.add %t, %one" + of + "\n    %v = stablehlo.select %below, %u, %x : " + truth + ", " +
         type + "\n    %w = stablehlo.add %s, %v" + of + "\n    %k = stablehlo.cosine %w" + of +
         "\n    stablehlo.return %v, %k" + of + ", " + type + "\n  }";
}

}  // namespace

TEST_CASE("loops of unknown length that work element by element") {
  check_gradient(function({"2x3xf64", "2x3xf64"},
                          grown("tensor<2x3xf64>", "tensor<2x3xi1>",
                                "    %no = stablehlo.constant dense<false> : tensor<i1>\n    %any = "
                                "stablehlo.reduce(%below init: %no) applies stablehlo.or across dimensions = [0, 1] : "
                                "(tensor<2x3xi1>, tensor<i1>) -> tensor<i1>\n    stablehlo.return %any : tensor<i1>\n"),
                          {"2x3xf64", "2x3xf64"}),
                 {.low = 0.1, .tolerance = 1e-5});
}

TEST_CASE("loops of unknown length over numbers") {
  check_gradient(
      function({"f64", "f64"}, grown("tensor<f64>", "tensor<i1>", "    stablehlo.return %below : tensor<i1>\n"),
               {"f64", "f64"}),
      {.low = 0.1, .tolerance = 1e-5});
}

TEST_CASE("a loop of unknown length that moves elements is refused") {
  refusal why;
  derivative_of_text(
      "func.func @main(%a: tensor<3xf64>) -> tensor<3xf64> {\n  %y = stablehlo.while(%x = %a) : tensor<3xf64>\n  cond "
      "{\n    %0 = stablehlo.slice %x [0:1] : (tensor<3xf64>) -> tensor<1xf64>\n    %1 = stablehlo.reshape %0 : "
      "(tensor<1xf64>) -> tensor<f64>\n    %2 = stablehlo.constant dense<10.0> : tensor<f64>\n    %3 = "
      "stablehlo.compare LT, %1, %2 : (tensor<f64>, tensor<f64>) -> tensor<i1>\n    stablehlo.return %3 : tensor<i1>\n "
      " } do {\n    %0 = stablehlo.reverse %x, dims = [0] : tensor<3xf64>\n    %1 = stablehlo.exponential %0 : "
      "tensor<3xf64>\n    stablehlo.return %1 : tensor<3xf64>\n  }\n  return %y : tensor<3xf64>\n}\n",
      {std::vector<int>{0}.data(), 1}, derivative::pullback, why);
  CHECK(std::string(why.label == nullptr ? "none" : why.label) == "grad_while");
}
