// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

void check(const std::string& from, const std::string& op, const std::string& to, const points& at = {}) {
  check_gradient(function({from},
                          "  %0 = stablehlo.multiply %a, %a : tensor<" + from + ">\n  %y0 = stablehlo." + op +
                              " : (tensor<" + from + ">) -> tensor<" + to + ">",
                          {to}),
                 at);
}

}  // namespace

TEST_CASE("shapes") {
  check("2x3xf64", "reshape %0", "3x2xf64");
  check("2x3x4xf64", "transpose %0, dims = [2, 0, 1]", "4x2x3xf64");
  check("3xf64", "broadcast_in_dim %0, dims = [1]", "2x3xf64");
  check("1x3xf64", "broadcast_in_dim %0, dims = [2, 0]", "3x2x4xf64");
  check("f64", "broadcast_in_dim %0, dims = []", "2x2xf64");
  check("2x3xf64", "reverse %0, dims = [0, 1]", "2x3xf64");
  check("0x3xf64", "reshape %0", "3x0xf64");
}

TEST_CASE("parts") {
  check_gradient(function({"7x5xf64"},
                          "  %0 = stablehlo.multiply %a, %a : tensor<7x5xf64>\n"
                          "  %y0 = stablehlo.slice %0 [1:6:2, 2:5] : (tensor<7x5xf64>) -> tensor<3x3xf64>\n"
                          "  %y1 = stablehlo.slice %0 [0:7:4, 4:4] : (tensor<7x5xf64>) -> tensor<2x0xf64>",
                          {"3x3xf64", "2x0xf64"}));
  const char* const pads[][2] = {{"low = [1, 2], high = [0, 1], interior = [0, 2]", "4x10xf64"},
                                 {"low = [-1, 2], high = [2, -1], interior = [1, 0]", "6x4xf64"},
                                 {"low = [-2, -1], high = [3, 0], interior = [2, 1]", "8x4xf64"}};
  for (const auto& [sizes, to] : pads)
    check_gradient(
        function({"3x3xf64", "f64"},
                 std::string("  %0 = stablehlo.multiply %a, %a : tensor<3x3xf64>\n  %y0 = stablehlo.pad %0, %b, ") +
                     sizes + " : (tensor<3x3xf64>, tensor<f64>) -> tensor<" + to + ">",
                 {to}));
  check_gradient(function({"2x3xf64", "2x1xf64"},
                          "  %0 = stablehlo.multiply %a, %a : tensor<2x3xf64>\n"
                          "  %y0 = stablehlo.concatenate %0, %b, %a, dim = 1 : (tensor<2x3xf64>, tensor<2x1xf64>, "
                          "tensor<2x3xf64>) -> tensor<2x7xf64>",
                          {"2x7xf64"}));
}

TEST_CASE("slices at indices") {
  for (int start : {-3, 0, 2, 9}) {
    check_gradient(
        function({"5x4xf64", "i32"},
                 "  %0 = stablehlo.multiply %a, %a : tensor<5x4xf64>\n"
                 "  %y0 = stablehlo.dynamic_slice %0, %b, %b, sizes = [2, 3] : (tensor<5x4xf64>, tensor<i32>, "
                 "tensor<i32>) -> tensor<2x3xf64>\n"
                 "  %1 = stablehlo.dynamic_slice %0, %b, %b, sizes = [1, 4] : (tensor<5x4xf64>, tensor<i32>, "
                 "tensor<i32>) -> tensor<1x4xf64>\n"
                 "  %y1 = stablehlo.multiply %1, %1 : tensor<1x4xf64>",
                 {"2x3xf64", "1x4xf64"}),
        {.integers = {{start}}});
    check_gradient(
        function({"5x4xf64", "2x2xf64", "i32"},
                 "  %0 = stablehlo.multiply %a, %a : tensor<5x4xf64>\n"
                 "  %1 = stablehlo.multiply %b, %b : tensor<2x2xf64>\n"
                 "  %y0 = stablehlo.dynamic_update_slice %0, %1, %c, %c : (tensor<5x4xf64>, tensor<2x2xf64>, "
                 "tensor<i32>, tensor<i32>) -> tensor<5x4xf64>",
                 {"5x4xf64"}),
        {.integers = {{start}}});
  }
}
