// SPDX-License-Identifier: Apache-2.0
#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

kernel find(const kernel_key& key) {
  switch (key.kind) {
    case kind_of_op<ops::custom_call>:
      return kernel_of<ops::custom_call, dtype::ui64, dtype::ui64>();
    case kind_of_op<ops::get_tuple_element>:
      return kernel_of<ops::get_tuple_element, dtype::ui64, dtype::ui64>();
    default:
      return nullptr;
  }
}

// R with the reflections below it, and Q, of a matrix of four rows and two columns, whose factors `calls` makes.
void check_factors(const std::string& calls) {
  const std::string text = "func.func @main(%a: tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<4x2xf64>) { " + calls +
                           "%q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%r, %t) : "
                           "(tensor<4x2xf64>, tensor<2xf64>) -> tensor<4x2xf64> "
                           "return %r, %q : tensor<4x2xf64>, tensor<4x2xf64> }";
  shared_program program(text, &find);
  INFO(program.error().sentence);
  REQUIRE(program);
  const double a[8] = {1, 2, 3, -4, 5, 6, 0.5, 8};
  double r[8], q[8];
  const void* const arguments[] = {a};
  void* const results[] = {r, q};
  program(arguments, results);
  for (int i = 0; i < 4; ++i) {
    CHECK(std::abs(q[2 * i] * r[0] - a[2 * i]) < 1e-12);
    CHECK(std::abs(q[2 * i] * r[1] + q[2 * i + 1] * r[3] - a[2 * i + 1]) < 1e-12);
  }
}

}  // namespace

TEST_CASE("factors of XLA's builder are one tuple, or two results") {
  check_factors(
      "%f = stablehlo.custom_call @Qr(%a) {backend_config = \"\"} : (tensor<4x2xf64>) -> "
      "tuple<tensor<4x2xf64>, tensor<2xf64>> "
      "%r = stablehlo.get_tuple_element %f[0] : (tuple<tensor<4x2xf64>, tensor<2xf64>>) -> tensor<4x2xf64> "
      "%t = stablehlo.get_tuple_element %f[1] : (tuple<tensor<4x2xf64>, tensor<2xf64>>) -> tensor<2xf64> ");
  check_factors(
      "%f:2 = stablehlo.custom_call @Qr(%a) : (tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<2xf64>) "
      "%r = stablehlo.optimization_barrier %f#0 : tensor<4x2xf64> "
      "%t = stablehlo.optimization_barrier %f#1 : tensor<2xf64> ");
}
