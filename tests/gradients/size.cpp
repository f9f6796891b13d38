// SPDX-License-Identifier: Apache-2.0
#include <gradients/differentiated.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon::gradients;

namespace {

// A function of which each calls the one before twice: 2^count sines.
std::string doubled(int count) {
  const std::string type = " : (tensor<f64>) -> tensor<f64>\n";
  std::string text;
  for (int i = count; i >= 0; --i) {
    const std::string callee = "@f" + std::to_string(i - 1);
    text += i == count ? "func.func @main" : "func.func private @f" + std::to_string(i);
    text += "(%x: tensor<f64>) -> tensor<f64> {\n";
    if (i == 0)
      text += "  %y = stablehlo.sine %x : tensor<f64>\n";
    else
      text += "  %0 = func.call " + callee + "(%x)" + type + "  %y = func.call " + callee + "(%0)" + type;
    text += "  return %y : tensor<f64>\n}\n";
  }
  return text;
}
refusal refusal_of(const std::string& text) {
  refusal why;
  const int by = 0;
  derivative_of_text(text, {&by, 1}, derivative::gradients, why);
  return why;
}

}  // namespace

TEST_CASE("a program that is too large without calls is refused") {
  CHECK_FALSE(refusal_of(doubled(6)));
  const refusal why = refusal_of(doubled(40));
  REQUIRE(why);
  CHECK(std::string(why.label) == "grad_call");
}
