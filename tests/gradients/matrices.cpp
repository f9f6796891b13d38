// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

// A matrix that is not singular, whose parts are told apart: a + diag(2, 4, ...).
std::string spread_out(const std::string& shape) {
  const std::string of = " : tensor<" + shape + "f64>", index = "tensor<" + shape + "i32>";
  return "  %0 = stablehlo.iota dim = 1 : " + index + "\n  %1 = stablehlo.iota dim = 2 : " + index +
         "\n  %2 = stablehlo.compare EQ, %0, %1 : (" + index + ", " + index + ") -> tensor<" + shape +
         "i1>\n  %3 = stablehlo.constant dense<2> : " + index + "\n  %4 = stablehlo.multiply %0, %3 : " + index +
         "\n  %5 = stablehlo.add %4, %3 : " + index + "\n  %6 = stablehlo.convert %5 : (" + index + ") -> tensor<" +
         shape + "f64>\n  %7 = stablehlo.constant dense<0.0>" + of + "\n  %8 = stablehlo.select %2, %6, %7 : tensor<" +
         shape + "i1>, tensor<" + shape + "f64>\n  %x = stablehlo.add %a, %8" + of + "\n";
}
std::string layouts(const std::string& operands, const std::string& results) {
  return "operand_layouts = [" + operands + "], result_layouts = [" + results + "], api_version = 4 : i32, ";
}
const std::string matrix = "dense<[1, 2, 0]> : tensor<3xindex>", line = "dense<[1, 0]> : tensor<2xindex>",
                  number = "dense<0> : tensor<1xindex>";

}  // namespace

TEST_CASE("calls of triangular factors and systems") {
  for (const std::string letter : {"76", "85"})
    check_gradient(function({"2x3x3xf64"},
                            spread_out("2x3x3x") +
                                "  %t = stablehlo.constant dense<3.0> : tensor<2x3x3xf64>\n  %y0, %i = "
                                "\"stablehlo.custom_call\"(%x) <{call_target_name = \"lapack_dpotrf_ffi\", " +
                                layouts(matrix, matrix + ", " + number) + "backend_config = {uplo = " + letter +
                                " : ui8}}> : (tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2xi32>)",
                            {"2x3x3xf64"}),
                   {.tolerance = 1e-5});
  for (const std::string side : {"76", "82"})
    for (const std::string form : {"78", "84"})
      check_gradient(function({"2x3x3xf64", "2x3x3xf64"},
                              spread_out("2x3x3x") +
                                  "  %y0 = \"stablehlo.custom_call\"(%x, %b) <{call_target_name = "
                                  "\"lapack_dtrsm_ffi\", " +
                                  layouts(matrix + ", " + matrix, matrix) +
                                  "backend_config = {diag = 78 : ui8, side = " + side + " : ui8, trans_x = " + form +
                                  " : ui8, uplo = 76 : ui8}}> : (tensor<2x3x3xf64>, tensor<2x3x3xf64>) -> "
                                  "tensor<2x3x3xf64>",
                              {"2x3x3xf64"}),
                     {.tolerance = 1e-5});
}

TEST_CASE("calls that factor any matrix") {
  for (const auto& [shape, steps] :
       {std::pair<std::string, std::string>{"2x3x3x", "3"}, {"2x4x3x", "3"}, {"2x3x5x", "3"}}) {
    const std::string type = "tensor<" + shape + "f64>", pivots = "tensor<2x" + steps + "xi32>";
    check_gradient(function({shape + "f64"},
                            "  %r = stablehlo.reverse %a, dims = [1] : " + type +
                                "\n  %y0, %p, %i = \"stablehlo.custom_call\"(%r) <{call_target_name = "
                                "\"lapack_dgetrf_ffi\", " +
                                layouts(matrix, matrix + ", " + line + ", " + number) + "backend_config = {}}> : (" +
                                type + ") -> (" + type + ", " + pivots + ", tensor<2xi32>)",
                            {shape + "f64"}),
                   {.orders = 1, .tolerance = 1e-4});
  }
}

TEST_CASE("calls for eigenvalues and singular values") {
  check_gradient(function({"2x3x3xf64"},
                          spread_out("2x3x3x") +
                              "  %y0, %y1, %i = \"stablehlo.custom_call\"(%x) <{call_target_name = "
                              "\"lapack_dsyevd_ffi\", " +
                              layouts(matrix, matrix + ", " + line + ", " + number) +
                              "backend_config = {mode = 86 : ui8, uplo = 76 : ui8}}> : (tensor<2x3x3xf64>) -> "
                              "(tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2xi32>)",
                          {"2x3x3xf64", "2x3xf64"}),
                 {.tolerance = 1e-5});
  for (const auto& [m, n] : {std::pair<std::string, std::string>{"3", "3"}, {"4", "3"}, {"3", "4"}}) {
    const std::string shape = "2x" + m + "x" + n + "x", type = "tensor<" + shape + "f64>";
    check_gradient(
        function({shape + "f64"},
                 spread_out(shape) +
                     "  %z, %y0, %y1, %y2, %i = \"stablehlo.custom_call\"(%x) "
                     "<{call_target_name = \"lapack_dgesdd_ffi\", " +
                     layouts(matrix, matrix + ", " + line + ", " + matrix + ", " + matrix + ", " + number) +
                     "backend_config = {mode = 83 : ui8}}> : (" + type + ") -> (" + type +
                     ", tensor<2x3xf64>, tensor<2x" + m + "x3xf64>, tensor<2x3x" + n + "xf64>, tensor<2xi32>)",
                 {"2x3xf64", "2x" + m + "x3xf64", "2x3x" + n + "xf64"}),
        {.tolerance = 1e-5});
    // Values alone: other shapes of vectors, which nobody computes.
    check_gradient(function({shape + "f64"},
                            spread_out(shape) +
                                "  %z, %y0, %u, %v, %i = \"stablehlo.custom_call\"(%x) "
                                "<{call_target_name = \"lapack_dgesdd_ffi\", " +
                                layouts(matrix, matrix + ", " + line + ", " + matrix + ", " + matrix + ", " + number) +
                                "backend_config = {mode = 78 : ui8}}> : (" + type + ") -> (" + type +
                                ", tensor<2x3xf64>, tensor<2x" + m + "x" + m + "xf64>, tensor<2x" + n + "x" + n +
                                "xf64>, tensor<2xi32>)",
                            {"2x3xf64"}),
                   {.tolerance = 1e-5});
  }
}

// The reflections, with R above them, their factors and Q, of which each is compared with differences.
TEST_CASE("calls that factor by reflections") {
  struct example {
    std::string rows, columns, kept, of_q, element;
  };
  for (const auto& [m, n, k, c, element] : {example{"4", "3", "3", "3", "f64"},
                                            {"3", "3", "3", "3", "f64"},
                                            {"3", "5", "3", "3", "f64"},
                                            {"4", "2", "2", "4", "f64"},
                                            {"4", "3", "3", "3", "complex<f64>"},
                                            {"3", "3", "3", "3", "complex<f64>"},
                                            {"4", "2", "2", "4", "complex<f64>"}}) {
    const std::string a = "2x" + m + "x" + n + "x" + element, given = "2x" + m + "x" + c + "x" + element,
                      factors = "2x" + k + "x" + element, type = "tensor<" + a + ">", of = "tensor<" + given + ">";
    const bool is_complex = element != "f64", is_wide = m < n;
    const std::string letter = is_complex ? "z" : "d", name = is_complex ? "ung" : "org";
    std::string moved = "%y1";
    std::string text = "  %y1, %y2 = \"stablehlo.custom_call\"(%a) <{call_target_name = \"lapack_" + letter +
                       "geqrf_ffi\", " + layouts(matrix, matrix + ", " + line) + "backend_config = {}}> : (" + type +
                       ") -> (" + type + ", tensor<" + factors + ">)\n";
    if (is_wide) text += "  %s = stablehlo.slice %y1 [0:2, 0:3, 0:3] : (" + type + ") -> " + of + "\n", moved = "%s";
    if (c != k)
      text += "  %z = stablehlo.constant dense<" + std::string(is_complex ? "(0.0, 0.0)" : "0.0") + "> : tensor<" +
              element + ">\n  %s = stablehlo.pad %y1, %z, low = [0, 0, 0], high = [0, 0, 2], interior = [0, 0, 0] : (" +
              type + ", tensor<" + element + ">) -> " + of + "\n",
          moved = "%s";
    text += "  %y0 = \"stablehlo.custom_call\"(" + moved + ", %y2) <{call_target_name = \"lapack_" + letter + name +
            "qr_ffi\", " + layouts(matrix + ", " + line, matrix) + "backend_config = {}}> : (" + of + ", tensor<" +
            factors + ">) -> " + of;
    // Factors are read by Q alone where they are complex: few kernels are compiled into the tests.
    check_gradient(
        function({a}, text,
                 is_complex ? std::vector<std::string>{given, a} : std::vector<std::string>{given, a, factors}),
        {.orders = is_wide || is_complex ? 1 : 2, .tolerance = 1e-4});
  }
}

// Of columns whose elements below the diagonal are zero there are no reflections, but Q has derivatives.
TEST_CASE("orthogonal factors of a triangle") {
  const std::string type = "tensor<2x2xf64>";
  const std::string square = "dense<[0, 1]> : tensor<2xindex>";
  const std::string text = function(
      {"2x2xf64"},
      "  %p, %t = \"stablehlo.custom_call\"(%a) <{call_target_name = \"lapack_dgeqrf_ffi\", " +
          layouts(square, square + ", " + number) + "backend_config = {}}> : (" + type + ") -> (" + type +
          ", tensor<2xf64>)\n  %y0 = \"stablehlo.custom_call\"(%p, %t) <{call_target_name = "
          "\"lapack_dorgqr_ffi\", " +
          layouts(square + ", " + number, square) + "backend_config = {}}> : (" + type + ", tensor<2xf64>) -> " + type,
      {"2x2xf64"});
  shared_program push = load(derivative_text(text, {0}, derivative::pushforward));
  std::vector<array> given(2, array(tenon::type_of(dtype::f64, {2, 2})));
  given[0].numbers = {2, 1, 0, 4}, given[1].numbers = {0, 0, 1, 0};
  const std::vector<array> got = run(push, given);
  CHECK(got[0].numbers == std::vector<double>{1, 0, 0, 1});
  CHECK(got[1].numbers == std::vector<double>{0, -0.5, 0.5, 0});
}

TEST_CASE("systems of three diagonals") {
  const std::string row = "tensor<2x4xf64>", right = "tensor<2x4x3xf64>";
  check_gradient(function({"2x4xf64", "2x4xf64", "2x4xf64", "2x4x3xf64"},
                          "  %four = stablehlo.constant dense<4.0> : " + row + "\n  %m = stablehlo.add %b, %four : " +
                              row + "\n  %p, %q, %s, %y0, %i = \"stablehlo.custom_call\"(%a, %m, %c, %d) " +
                              "<{call_target_name = \"lapack_dgtsv_ffi\", " +
                              layouts(line + ", " + line + ", " + line + ", " + matrix,
                                      line + ", " + line + ", " + line + ", " + matrix + ", " + number) +
                              "backend_config = {}}> : (" + row + ", " + row + ", " + row + ", " + right + ") -> (" +
                              row + ", " + row + ", " + row + ", " + right + ", tensor<2xi32>)",
                          {"2x4x3xf64"}),
                 {.tolerance = 1e-5});
}

TEST_CASE("reflections that no call has made have no rule") {
  refusal why;
  derivative_of_text(
      "func.func @main(%a: tensor<3x2xf64>, %t: tensor<2xf64>) -> tensor<3x2xf64> {\n  %q = stablehlo.custom_call "
      "@lapack_dorgqr_ffi(%a, %t) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<3x2xf64>, tensor<2xf64>) "
      "-> tensor<3x2xf64>\n  return %q : tensor<3x2xf64>\n}\n",
      {std::vector<int>{0}.data(), 1}, derivative::pullback, why);
  CHECK(std::string(why.label == nullptr ? "none" : why.label) == "grad_custom_call");
}
