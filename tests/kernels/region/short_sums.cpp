// SPDX-License-Identifier: Apache-2.0
//
// Folds of few elements, which stand as straight code: their last bit depends on the order in which elements are
// combined, and is that of a program that is read.
#include <tenon/kernels/region/register_code.hpp>

#include <tenon/run/loaded_program.hpp>
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <random>

using namespace tenon;

namespace {

kernels::kernel find(const planning::kernel_key& key) {
  return key.element == dtype::f64 ? kernels::kernel_of<ops::reduce, dtype::f64, dtype::f64, kind_of_op<ops::add>>()
                                   : kernels::kernel_of<ops::reduce, dtype::f32, dtype::f32, kind_of_op<ops::add>>();
}

// Rows, rows of a matrix, neighbouring axes, axes apart, and columns.
struct floats {
  static constexpr std::string_view text = R"(
    func.func @main(%i: tensor<f32>, %a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<2x6xf32>, %d: tensor<2x3xf32>,
                    %e: tensor<2x2x3xf32>, %f: tensor<5x3xf32>, %g: tensor<7x1xf32>, %h: tensor<3xf32>)
        -> (tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<3xf32>, tensor<f32>,
            tensor<f32>) {
      %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %1 = stablehlo.reduce(%b init: %i) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
      %2 = stablehlo.reduce(%c init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2xf32>
      %3 = stablehlo.reduce(%d init: %i) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
      %4 = stablehlo.reduce(%e init: %i) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x2x3xf32>, tensor<f32>) -> tensor<2xf32>
      %5 = stablehlo.reduce(%f init: %i) applies stablehlo.add across dimensions = [0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
      %6 = stablehlo.reduce(%g init: %i) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x1xf32>, tensor<f32>) -> tensor<f32>
      %7 = stablehlo.reduce(%h init: %i) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>
    })";
};
struct doubles {
  static constexpr std::string_view text = R"(
    func.func @main(%i: tensor<f64>, %a: tensor<4xf64>, %b: tensor<7xf64>, %c: tensor<1x5x1xf64>)
        -> (tensor<f64>, tensor<f64>, tensor<1xf64>) {
      %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
      %1 = stablehlo.reduce(%b init: %i) applies stablehlo.add across dimensions = [0] : (tensor<7xf64>, tensor<f64>) -> tensor<f64>
      %2 = stablehlo.reduce(%c init: %i) applies stablehlo.add across dimensions = [1, 2] : (tensor<1x5x1xf64>, tensor<f64>) -> tensor<1xf64>
      return %0, %1, %2 : tensor<f64>, tensor<f64>, tensor<1xf64>
    })";
};

template <class Net, class T>
void check() {
  using code = typename program<Net>::code;
  constexpr int rows = code::argument_count, results = code::result_count;
  loaded_program read(Net::text, &find);
  std::mt19937 random(7);
  T numbers[rows][16], got[results][4]{}, wanted[results][4]{};
  const void* from[rows];
  void *to[results], *expected[results];
  for (int i = 0; i < rows; ++i) from[i] = numbers[i];
  for (int i = 0; i < results; ++i) to[i] = got[i], expected[i] = wanted[i];
  for (int round = 0; round < 50; ++round) {
    for (auto& row : numbers)
      for (T& each : row) each = std::uniform_real_distribution<T>(-8, 8)(random);
    code::run(from, to);
    read(from, expected);
    for (int i = 0; i < results; ++i) {
      CAPTURE(i);
      CHECK(std::memcmp(got[i], wanted[i], sizeof got[i]) == 0);
    }
  }
}

}  // namespace

TEST_CASE("sums of few elements have the order of those that are read") {
  check<floats, f32>();
  check<doubles, f64>();
}
