// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

#include <array>

using namespace tenon;
using namespace tenon::gradients;

TEST_CASE("products") {
  const auto check = [](const std::string& x, const std::string& y, const std::string& numbers, const std::string& to) {
    check_gradient(function({x, y},
                            "  %y0 = stablehlo.dot_general %a, %b, " + numbers + " : (tensor<" + x + ">, tensor<" + y +
                                ">) -> tensor<" + to + ">",
                            {to}));
  };
  check("2x3xf64", "3x4xf64", "contracting_dims = [1] x [0]", "2x4xf64");
  check("3xf64", "3xf64", "contracting_dims = [0] x [0]", "f64");
  check("2x3x4xf64", "4x2x5xf64", "batching_dims = [0] x [1], contracting_dims = [2] x [0]", "2x3x5xf64");
  check("2x3x4x2xf64", "3x5x4x2xf64", "batching_dims = [1] x [0], contracting_dims = [3, 2] x [3, 2]", "3x2x5xf64");
  check("2x3xf64", "4xf64", "contracting_dims = [] x []", "2x3x4xf64");
  check("2x2xcomplex<f64>", "2x3xcomplex<f64>", "contracting_dims = [1] x [0]", "2x3xcomplex<f64>");
}

TEST_CASE("products by letters") {
  const auto check = [](const std::string& config, const std::string& x, const std::string& y, const std::string& to) {
    check_gradient(function({x, y},
                            "  %y0 = \"stablehlo.einsum\"(%a, %b) <{einsum_config = \"" + config + "\"}> : (tensor<" +
                                x + ">, tensor<" + y + ">) -> tensor<" + to + ">",
                            {to}));
  };
  check("ij,jk->ik", "2x3xf64", "3x4xf64", "2x4xf64");
  check("bij,jkb->kbi", "2x3x4xf64", "4x5x2xf64", "5x2x3xf64");
  check("iij,kl->jl", "3x3x2xf64", "2x4xf64", "2x4xf64");
  check("...ij,...jk->...ik", "2x2x3xf64", "1x3x2xf64", "2x2x2xf64");
  check("i,i->", "3xf64", "3xf64", "f64");
  for (const auto& [config, from, to] : {std::array<std::string, 3>{"ij->ji", "2x3xf64", "3x2xf64"},
                                         {"ijk->ki", "2x3x4xf64", "4x2xf64"},
                                         {"iij->j", "3x3x2xf64", "2xf64"},
                                         {"ii->i", "3x3xf64", "3xf64"}})
    check_gradient(function({from},
                            "  %0 = stablehlo.sine %a : tensor<" + from +
                                ">\n  %y0 = \"stablehlo.unary_einsum\"(%0) <{einsum_config = \"" + config +
                                "\"}> : (tensor<" + from + ">) -> tensor<" + to + ">",
                            {to}));
}

TEST_CASE("ragged products") {
  const auto check = [](const std::string& x, const std::string& y, const std::string& sizes,
                        const std::string& numbers, const std::string& to, std::vector<std::int32_t> groups) {
    check_gradient(function({x, y, sizes},
                            "  %y0 = \"chlo.ragged_dot\"(%a, %b, %c) <{ragged_dot_dimension_numbers = "
                            "#chlo.ragged_dot<" +
                                numbers + ">}> : (tensor<" + x + ">, tensor<" + y + ">, tensor<" + sizes +
                                ">) -> tensor<" + to + ">",
                            {to}),
                   {.integers = {groups}});
  };
  check("5x3xf64", "2x3x4xf64", "2xi32",
        "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
        "rhs_group_dimensions = [0]",
        "5x4xf64", {2, 2});
  check("2x5x3xf64", "2x2x3x4xf64", "2x2xi32",
        "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], "
        "rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]",
        "2x5x4xf64", {2, 3, 1, 2});
  check("2x3x5xf64", "2x5x4xf64", "3xi32",
        "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
        "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]",
        "3x2x3x4xf64", {2, 0, 2});
  check("5x2x3xf64", "5x3x4xf64", "2xi32",
        "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
        "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]",
        "5x2x4xf64", {2, 3});
}

TEST_CASE("convolutions") {
  const auto check = [](const std::string& x, const std::string& kernel, const std::string& window, int features,
                        int batches, const std::string& to) {
    check_gradient(function(
        {x, kernel},
        "  %y0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {" +
            window + "} {feature_group_count = " + std::to_string(features) + " : i64, batch_group_count = " +
            std::to_string(batches) + " : i64} : (tensor<" + x + ">, tensor<" + kernel + ">) -> tensor<" + to + ">",
        {to}));
  };
  check("2x3x5x4xf64", "2x3x3x2xf64", "", 1, 1, "2x2x3x3xf64");
  check("1x2x5x6xf64", "3x2x2x3xf64", "stride = [2, 1], pad = [[1, 0], [2, 1]]", 1, 1, "1x3x3x7xf64");
  check("1x2x5x4xf64", "3x2x2x2xf64", "lhs_dilate = [2, 1], rhs_dilate = [1, 2], pad = [[0, 1], [1, 1]]", 1, 1,
        "1x3x9x4xf64");
  check("1x4x4x4xf64", "4x2x2x2xf64", "stride = [2, 2]", 2, 1, "1x4x2x2xf64");
  check("4x2x3x3xf64", "4x2x2x2xf64", "", 1, 2, "2x4x2x2xf64");
  check("1x1x4x4xf64", "1x1x2x3xf64", "pad = [[-1, 1], [1, 0]], reverse = [true, false]", 1, 1, "1x1x3x3xf64");
  // Dimensions in another order.
  check_gradient(
      function({"5x2x3xf64", "3x3x2xf64"},
               "  %y0 = stablehlo.convolution(%a, %b) dim_numbers = [0, b, f]x[i, 0, o]->[f, 0, b], window = {stride = "
               "[2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<5x2x3xf64>, "
               "tensor<3x3x2xf64>) -> tensor<2x2x2xf64>",
               {"2x2x2xf64"}));
}

TEST_CASE("transforms") {
  const auto check = [](const std::string& from, const std::string& type, const std::string& length,
                        const std::string& to) {
    check_gradient(function({from},
                            "  %y0 = stablehlo.fft %a, type = " + type + ", length = [" + length + "] : (tensor<" +
                                from + ">) -> tensor<" + to + ">",
                            {to}));
  };
  check("2x4xcomplex<f64>", "FFT", "4", "2x4xcomplex<f64>");
  check("3x4xcomplex<f64>", "IFFT", "3, 4", "3x4xcomplex<f64>");
  check("2x6xf64", "RFFT", "6", "2x4xcomplex<f64>");
  check("3x5xf64", "RFFT", "3, 5", "3x3xcomplex<f64>");
  check("2x4xcomplex<f64>", "IRFFT", "6", "2x6xf64");
  check("2x3xcomplex<f64>", "IRFFT", "5", "2x5xf64");
  check("3x3xcomplex<f64>", "IRFFT", "3, 4", "3x4xf64");
}

TEST_CASE("systems of equations") {
  for (const char* left : {"true", "false"})
    for (const char* lower : {"true", "false"})
      for (const char* unit : {"true", "false"})
        for (const char* kind : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})
          for (const std::string element : {"f64", "complex<f64>"}) {
            const std::string b = left[0] == 't' ? "2x3x2x" : "2x2x3x";
            check_gradient(
                function(
                    {"2x3x3x" + element, b + element},
                    "  %0 = stablehlo.iota dim = 1 : tensor<2x3x3xi32>\n  %1 = stablehlo.iota dim = 2 : "
                    "tensor<2x3x3xi32>\n"
                    "  %2 = stablehlo.compare EQ, %0, %1 : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>\n"
                    "  %3 = stablehlo.convert %2 : (tensor<2x3x3xi1>) -> tensor<2x3x3x" +
                        element +
                        ">\n"
                        "  %4 = stablehlo.add %a, %3 : tensor<2x3x3x" +
                        element +
                        ">\n"
                        "  %5 = stablehlo.add %4, %3 : tensor<2x3x3x" +
                        element +
                        ">\n"
                        "  %y0 = \"stablehlo.triangular_solve\"(%5, %b) <{left_side = " +
                        left + ", lower = " + lower + ", unit_diagonal = " + unit +
                        ", transpose_a = #stablehlo<transpose " + kind + ">}> : (tensor<2x3x3x" + element +
                        ">, tensor<" + b + element + ">) -> tensor<" + b + element + ">",
                    {b + element}),
                {.orders = 1});
          }
}

TEST_CASE("factors") {
  for (const char* lower : {"true", "false"})
    check_gradient(
        function(
            {"2x3x3xf64"},
            "  %0 = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [2] x [2] : "
            "(tensor<2x3x3xf64>, "
            "tensor<2x3x3xf64>) -> tensor<2x3x3xf64>\n"
            "  %1 = stablehlo.add %0, %a : tensor<2x3x3xf64>\n"
            "  %2 = stablehlo.iota dim = 1 : tensor<2x3x3xi32>\n  %3 = stablehlo.iota dim = 2 : tensor<2x3x3xi32>\n"
            "  %4 = stablehlo.compare EQ, %2, %3 : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>\n"
            "  %5 = stablehlo.convert %4 : (tensor<2x3x3xi1>) -> tensor<2x3x3xf64>\n"
            "  %6 = stablehlo.constant dense<4.0> : tensor<2x3x3xf64>\n"
            "  %7 = stablehlo.multiply %5, %6 : tensor<2x3x3xf64>\n"
            "  %8 = stablehlo.add %1, %7 : tensor<2x3x3xf64>\n"
            "  %9 = stablehlo.cholesky %8, lower = " +
                std::string(lower) +
                " : tensor<2x3x3xf64>\n"
                // The other triangle is not said to be anything.
                "  %10 = stablehlo.compare " +
                (lower[0] == 't' ? "GE" : "LE") +
                ", %2, %3 : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>\n"
                "  %11 = stablehlo.constant dense<0.0> : tensor<2x3x3xf64>\n"
                "  %y0 = stablehlo.select %10, %9, %11 : tensor<2x3x3xi1>, tensor<2x3x3xf64>",
            {"2x3x3xf64"}),
        {.tolerance = 1e-5});
}

TEST_CASE("factors of complex matrices") {
  for (const char* lower : {"true", "false"})
    check_gradient(function({"2x3x3xcomplex<f64>"},
                            "  %0 = stablehlo.iota dim = 1 : tensor<2x3x3xi32>\n  %1 = stablehlo.iota dim = 2 : "
                            "tensor<2x3x3xi32>\n  %2 = stablehlo.compare EQ, %0, %1 : (tensor<2x3x3xi32>, "
                            "tensor<2x3x3xi32>) -> tensor<2x3x3xi1>\n  %3 = stablehlo.convert %2 : "
                            "(tensor<2x3x3xi1>) -> tensor<2x3x3xcomplex<f64>>\n  %4 = stablehlo.constant "
                            "dense<(6.0, 0.0)> : tensor<2x3x3xcomplex<f64>>\n  %5 = stablehlo.multiply %3, %4 : "
                            "tensor<2x3x3xcomplex<f64>>\n  %6 = stablehlo.add %5, %a : tensor<2x3x3xcomplex<f64>>\n"
                            "  %y0 = stablehlo.cholesky %6, lower = " +
                                std::string(lower) + " : tensor<2x3x3xcomplex<f64>>",
                            {"2x3x3xcomplex<f64>"}),
                   {.tolerance = 1e-5});
}
