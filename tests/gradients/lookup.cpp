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

TEST_CASE("updates that are combined") {
  const auto check = [](const std::string& body, const std::string& more, std::vector<std::int32_t> at,
                        std::vector<int> by = {}) {
    const std::string x = "tensor<4x3xf64>", u = "tensor<2x3xf64>";
    check_gradient(
        function({"4x3xf64", "2x1xi32", "2x3xf64"},
                 "  %y0 = \"stablehlo.scatter\"(%a, %b, %c) <{scatter_dimension_numbers = "
                 "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
                 "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>" +
                     more + "}> ({\n^bb0(%p: tensor<f64>, %q: tensor<f64>):\n" + body +
                     "  stablehlo.return %r : tensor<f64>\n}) : (" + x + ", tensor<2x1xi32>, " + u + ") -> " + x,
                 {"4x3xf64"}),
        {.integers = {at}, .orders = by.empty() ? 2 : 1}, by);
  };
  // Rows that are multiplied twice, by what is no argument to differentiate by.
  for (const std::vector<std::int32_t>& at : {std::vector<std::int32_t>{1, 3}, {2, 2}, {-1, 2}})
    check("  %r = stablehlo.multiply %p, %q : tensor<f64>\n", "", at, {0});
  for (const char* op : {"maximum", "minimum"}) {
    const std::string body = std::string("  %r = stablehlo.") + op + " %p, %q : tensor<f64>\n";
    check(body, "", {1, 3});
    check(body, "", {2, 2});
    check(body, "", {-1, 2});
  }
  for (const char* body :
       {"  %r = stablehlo.multiply %p, %q : tensor<f64>\n",
        "  %s = stablehlo.sine %q : tensor<f64>\n  %r = stablehlo.subtract %p, %s : tensor<f64>\n"}) {
    check(body, ", unique_indices = true", {1, 3});
    check(body, ", unique_indices = true", {5, 0});
  }
}

TEST_CASE("updates of numbers") {
  check_gradient(
      function({"f64", "f64"},
               "  %0 = stablehlo.multiply %a, %b : tensor<f64>\n  %1 = stablehlo.dynamic_update_slice %0, %a : "
               "(tensor<f64>, tensor<f64>) -> tensor<f64>\n  %2 = stablehlo.add %1, %b : tensor<f64>\n  %y0 = "
               "stablehlo.multiply %2, %0 : tensor<f64>",
               {"f64"}));
}

TEST_CASE("slices that operands describe") {
  const auto check = [](const std::string& from, const std::vector<std::string>& integers, const std::string& body,
                        const std::string& to, std::vector<std::vector<std::int32_t>> at) {
    std::vector<std::string> takes{from, "f64"};
    takes.insert(takes.end(), integers.begin(), integers.end());
    check_gradient(function(takes, "  %0 = stablehlo.sine %a : tensor<" + from + ">\n  %y0 = " + body, {to}),
                   {.integers = at});
  };
  check("5x6xf64", {"2xi32", "2xi32", "2xi32"},
        "stablehlo.real_dynamic_slice %0, %c, %d, %e : (tensor<5x6xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) "
        "-> tensor<2x3xf64>",
        "2x3xf64", {{1, 0}, {5, 6}, {3, 2}});
  check("2x3xf64", {"2xi64", "2xi64", "2xi64"},
        "stablehlo.dynamic_pad %0, %b, %c, %d, %e : (tensor<2x3xf64>, tensor<f64>, tensor<2xi64>, tensor<2xi64>, "
        "tensor<2xi64>) -> tensor<6x2xf64>",
        "6x2xf64", {{1, -1}, {2, 0}, {1, 0}});
  check("4x3xf64", {"2x1xi32", "2xi32"},
        "\"stablehlo.dynamic_gather\"(%0, %c, %d) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
        "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x3xf64>, "
        "tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xf64>",
        "2x2xf64", {{3, 1}, {1, 2}});
  check("2x4x3xf64", {"2x3xi32"},
        "\"stablehlo.torch_index_select\"(%0, %c) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x4x3xf64>, "
        "tensor<2x3xi32>) -> tensor<2x3x3xf64>",
        "2x3x3xf64", {{0, 2, 2, 3, 1, 9}});
  check("2x4x3xf64", {"3xi32"},
        "\"stablehlo.torch_index_select\"(%0, %c) <{dim = 2 : i64, batch_dims = 0 : i64}> : (tensor<2x4x3xf64>, "
        "tensor<3xi32>) -> tensor<2x4x3xf64>",
        "2x4x3xf64", {{0, 2, 0}});
  check_gradient(
      function({"1x2x5x4xf64", "3x2x2x2xf64", "2x2xi32"},
               "  %y0 = \"stablehlo.dynamic_conv\"(%a, %b, %c) <{dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, "
               "i, 0, 1]->[b, f, 0, 1]>, window_strides = array<i64: 2, 1>, lhs_dilation = array<i64: 1, 2>, "
               "rhs_dilation = array<i64: 2, 1>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : "
               "(tensor<1x2x5x4xf64>, tensor<3x2x2x2xf64>, tensor<2x2xi32>) -> tensor<1x3x3x7xf64>",
               {"1x3x3x7xf64"}),
      {.integers = {{1, 1, -1, 2}}});
}

// The text of a derivative is read back, so that rules hold for its ops too.
TEST_CASE("results without elements have no derivative") {
  const auto check = [](const std::string& from, const std::string& op, const std::string& to) {
    check_gradient(function({from},
                            "  %0 = stablehlo.multiply %a, %a : tensor<" + from +
                                ">\n  %i = stablehlo.constant dense<0> : tensor<i32>\n" +
                                "  %z = stablehlo.constant dense<0.0> : tensor<f64>\n" + op +
                                "\n  %y1 = stablehlo.sine %0 : tensor<" + from + ">",
                            {to, from}),
                   {.orders = 1});
  };
  const std::string sums =
      "({\n^bb0(%p: tensor<f64>, %q: tensor<f64>):\n  %r = stablehlo.add %p, %q : tensor<f64>\n"
      "  stablehlo.return %r : tensor<f64>\n})";
  check("2x4xf64", "  %y0, %n = chlo.top_k(%0, k = 0) : tensor<2x4xf64> -> (tensor<2x0xf64>, tensor<2x0xi32>)",
        "2x0xf64");
  check("0x4xf64", "  %y0, %n = chlo.top_k(%0, k = 2) : tensor<0x4xf64> -> (tensor<0x2xf64>, tensor<0x2xi32>)",
        "0x2xf64");
  check("0xf64",
        "  %y0 = \"stablehlo.sort\"(%0) <{dimension = 0 : i64}> ({\n^bb0(%p: tensor<f64>, %q: tensor<f64>):\n"
        "  %r = stablehlo.compare LT, %p, %q : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
        "  stablehlo.return %r : tensor<i1>\n}) : (tensor<0xf64>) -> tensor<0xf64>",
        "0xf64");
  check("3xf64", "  %y0 = stablehlo.dynamic_slice %0, %i, sizes = [0] : (tensor<3xf64>, tensor<i32>) -> tensor<0xf64>",
        "0xf64");
  check("3x0xf64",
        "  %s = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi32>\n  %y0 = \"stablehlo.gather\"(%0, %s) "
        "<{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
        "index_vector_dim = 1>, slice_sizes = array<i64: 1, 0>}> : (tensor<3x0xf64>, tensor<2x1xi32>) -> "
        "tensor<2x0xf64>",
        "2x0xf64");
  check("0xf64",
        "  %y0 = \"stablehlo.reduce_window\"(%0, %z) <{window_dimensions = array<i64: 3>}> " + sums +
            " : (tensor<0xf64>, tensor<f64>) -> tensor<0xf64>",
        "0xf64");
  check("0xf64",
        "  %y0 = \"stablehlo.reduce\"(%0, %z) <{dimensions = array<i64: 0>}> " + sums +
            " : (tensor<0xf64>, tensor<f64>) -> tensor<f64>",
        "f64");
  check("0xf64",
        "  %y0 = stablehlo.pad %0, %z, low = [1], high = [2], interior = [0] : (tensor<0xf64>, tensor<f64>) -> "
        "tensor<3xf64>",
        "3xf64");
}
