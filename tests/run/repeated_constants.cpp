// SPDX-License-Identifier: Apache-2.0
//
// Large constants of one number are repeated by the steps that read them: what moves them gives what plain loops give.
#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace {

using namespace tenon;
using namespace tenon::core;
using namespace tenon::planning;
using namespace tenon::kernels;

kernel find(const kernel_key& key) {
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return kernel_of<ops::add, dtype::f32, dtype::f32>();
    case kind_of_op<ops::and_>:
      return kernel_of<ops::and_, dtype::i1, dtype::i1>();
    case kind_of_op<ops::select>:
      return kernel_of<ops::select, dtype::f32, dtype::f32>();
    case kind_of_op<ops::pad>:
      return kernel_of<ops::pad, dtype::ui8, dtype::ui8>();
    case kind_of_op<ops::broadcast_in_dim>:
      return key.element == dtype::ui8 ? kernel(kernel_of<ops::broadcast_in_dim, dtype::ui8, dtype::ui8>())
                                       : kernel(kernel_of<ops::broadcast_in_dim, dtype::ui32, dtype::ui32>());
    case kind_of_op<ops::concatenate>:
      return kernel_of<ops::concatenate, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::dynamic_update_slice>:
      return kernel_of<ops::dynamic_update_slice, dtype::ui32, dtype::ui32>();
    default:
      return nullptr;
  }
}

// The sum of x, which is 1 everywhere, and a value of that size made of a constant of 2 and the number 3.
std::vector<float> sum_with(int rows, int columns, const std::string& made, int constant_rows, int constant_columns) {
  const auto type = [](int m, int n) { return "tensor<" + std::to_string(m) + "x" + std::to_string(n) + "xf32>"; };
  const std::string wide = type(rows, columns), of = type(constant_rows, constant_columns);
  const std::string text =
      "func.func @main(%x: " + wide + ") -> " + wide + " { %c = stablehlo.constant dense<2.0> : " + of +
      " %n = stablehlo.constant dense<3.0> : tensor<f32> " + "%i = stablehlo.constant dense<5> : tensor<i32> " + made +
      " -> " + wide + " %y = stablehlo.add %x, %j : " + wide + " return %y : " + wide + " }";
  shared_program program(text, &find);
  INFO(program.error().sentence);
  REQUIRE(program);
  CHECK(program.plan().constant_bytes < 1024);
  std::vector<float> x(std::size_t(rows * columns), 1), y(x.size());
  const void* const arguments[] = {x.data()};
  void* const results[] = {y.data()};
  program(arguments, results);
  return y;
}

}  // namespace

TEST_CASE("one number is padded with another") {
  struct padding {
    std::array<int, 2> low, high, interior;
  };
  const int size = 150;
  for (const padding& p :
       {padding{{3, 0}, {5, 4}, {0, 0}}, padding{{-2, 1}, {0, -7}, {1, 0}}, padding{{2, -3}, {-4, 0}, {2, 3}}}) {
    int padded[2];
    for (std::size_t d = 0; d < 2; ++d) padded[d] = size + (size - 1) * p.interior[d] + p.low[d] + p.high[d];
    const auto pair = [](const std::array<int, 2>& of) {
      return "[" + std::to_string(of[0]) + ", " + std::to_string(of[1]) + "]";
    };
    const std::vector<float> y =
        sum_with(padded[0], padded[1],
                 "%j = stablehlo.pad %c, %n, low = " + pair(p.low) + ", high = " + pair(p.high) +
                     ", interior = " + pair(p.interior) + " : (tensor<150x150xf32>, tensor<f32>)",
                 size, size);
    const auto is_inside = [&](int i, std::size_t d) {
      const int from = i - p.low[d], step = p.interior[d] + 1;
      return from >= 0 && from % step == 0 && from / step < size;
    };
    int wrong = 0;
    for (int i = 0; i < padded[0]; ++i)
      for (int j = 0; j < padded[1]; ++j)
        wrong += y[std::size_t(i * padded[1] + j)] != (is_inside(i, 0) && is_inside(j, 1) ? 3.0f : 4.0f);
    CHECK(wrong == 0);
  }
}

TEST_CASE("one number stands beside another and is updated") {
  const std::vector<float> joined =
      sum_with(201, 300,
               "%m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<1x300xf32> "
               "%j = stablehlo.concatenate %m, %c, dim = 0 : (tensor<1x300xf32>, tensor<200x300xf32>)",
               200, 300);
  CHECK(joined[299] == 4.0f);
  CHECK(joined[300] == 3.0f);
  CHECK(joined.back() == 3.0f);
  const std::vector<float> updated =
      sum_with(200, 300,
               "%m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<1x1xf32> "
               "%j = stablehlo.dynamic_update_slice %c, %m, %i, %i : (tensor<200x300xf32>, tensor<1x1xf32>, "
               "tensor<i32>, tensor<i32>)",
               200, 300);
  CHECK(updated[5 * 300 + 5] == 4.0f);
  CHECK(updated[5 * 300 + 6] == 3.0f);
  CHECK(updated[0] == 3.0f);
}
