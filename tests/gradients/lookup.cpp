// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

std::string scatter_of(const std::string& updates, const std::string& indices, const std::string& numbers, bool adds) {
  const std::string x = "tensor<4x3xf64>";
  return function({"4x3xf64", indices + "xi32", updates},
                  "  %0 = stablehlo.multiply %a, %a : " + x + "\n  %1 = stablehlo.multiply %c, %c : tensor<" + updates +
                      ">\n  %y0 = \"stablehlo.scatter\"(%0, %b, %1) <{" + numbers +
                      "}> ({\n^bb0(%p: tensor<f64>, %q: tensor<f64>):\n  %r = stablehlo.add %p, %q : tensor<f64>\n  "
                      "stablehlo.return " +
                      (adds ? "%r" : "%q") + " : tensor<f64>\n}) : (" + x + ", tensor<" + indices + "xi32>, tensor<" +
                      updates + ">) -> " + x,
                  {"4x3xf64"});
}

}  // namespace

TEST_CASE("gathered slices") {
  const auto check = [](const std::string& indices, const std::string& numbers, const std::string& to,
                        std::vector<std::int32_t> at, const std::string& from = "4x3xf64") {
    check_gradient(
        function({from, indices + "xi32"},
                 "  %0 = stablehlo.multiply %a, %a : tensor<" + from + ">\n  %y0 = \"stablehlo.gather\"(%0, %b) <{" +
                     numbers + "}> : (tensor<" + from + ">, tensor<" + indices + "xi32>) -> tensor<" + to + ">",
                 {to}),
        {.integers = {at}});
  };
  const std::string rows =
      "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = "
      "[0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>";
  check("5x1", rows, "5x3xf64", {0, 2, 2, 3, 1});
  check("5x1", rows, "5x3xf64", {-7, 2, 9, 3, 1});
  check("5", rows, "5x3xf64", {0, 2, 2, 3, 1});
  check("2x3",
        "dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0>, "
        "slice_sizes = "
        "array<i64: 2, 2>",
        "2x2x3xf64", {0, 1, 0, 2, 3, 1});
  check("4x1",
        "dimension_numbers = #stablehlo.gather<operand_batching_dims = [0], start_indices_batching_dims = [0], "
        "collapsed_slice_dims "
        "= [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>",
        "4xf64", {0, 2, 1, 5});
}

TEST_CASE("scattered updates") {
  const std::string rows =
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
      "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>";
  const std::string parts =
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims "
      "= [1, 0], index_vector_dim = 1>";
  const std::string batches =
      "scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], "
      "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>";
  for (bool adds : {true, false}) {
    check_gradient(scatter_of("2x3xf64", "2x1", rows, adds), {.integers = {{1, 3}}});
    // Rows that are written twice, and rows outside.
    check_gradient(scatter_of("4x3xf64", "4x1", rows, adds), {.integers = {{1, 2, 1, 2}}});
    check_gradient(scatter_of("4x3xf64", "4x1", rows, adds), {.integers = {{1, -1, 7, 1}}});
    // Windows that overlap in part, and one that is not inside as a whole.
    check_gradient(scatter_of("3x2x2xf64", "3x2", parts, adds), {.integers = {{0, 0, 1, 1, 2, 2}}});
    check_gradient(scatter_of("4xf64", "4x1", batches, adds), {.integers = {{0, 2, 1, 3}}});
  }
}
