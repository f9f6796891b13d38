// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/program.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;

namespace {

// As JAX writes gelu and top_k, and a sum that NumPy would broadcast.
struct gelu_and_top_k {
  static constexpr std::string_view text = R"(
    func.func public @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2xi32>, tensor<2x4xf32>) {
      %half = stablehlo.constant dense<0.5> : tensor<2x4xf32>
      %root = stablehlo.constant dense<-0.707106769> : tensor<2x4xf32>
      %0 = stablehlo.multiply %x, %root : tensor<2x4xf32>
      %1 = chlo.erfc %0 : tensor<2x4xf32> -> tensor<2x4xf32>
      %2 = stablehlo.multiply %half, %x : tensor<2x4xf32>
      %3 = stablehlo.multiply %2, %1 : tensor<2x4xf32>
      %values, %indices = chlo.top_k(%3, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
      %column = stablehlo.slice %x [0:2, 1:2] : (tensor<2x4xf32>) -> tensor<2x1xf32>
      %row = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %4 = chlo.broadcast_add %column, %row : (tensor<2x1xf32>, tensor<4xf32>) -> tensor<2x4xf32>
      return %3, %values, %indices, %4 : tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2xi32>, tensor<2x4xf32>
    }
  )";
};

const tensor<f32, 2, 4> x{{-1, 0, 2, 1}, {3, -0.5, 0.25, 3}};

}  // namespace

TEST_CASE("a text with ops of CHLO is compiled and run") {
  const auto [gelu, values, indices, sum] = program<gelu_and_top_k>{}(x);
  for (int i = 0; i < 8; ++i) {
    const float a = x.data()[i];
    CHECK(gelu.data()[i] == doctest::Approx(0.5 * a * std::erfc(-a * 0.70710678)).epsilon(1e-6));
  }
  CHECK(equal(indices, tensor<i32, 2, 2>{{2, 3}, {0, 3}}));
  CHECK(values(0, 0) == gelu(0, 2));
  CHECK(equal(sum, tensor<f32, 2, 4>{{1, 2, 3, 4}, {0.5, 1.5, 2.5, 3.5}}));
}

TEST_CASE("the functions of CHLO on tensors") {
  const tensor<f32, 2, 4> squares = square(x);
  CHECK(equal(squares, tensor<f32, 2, 4>{{1, 0, 4, 1}, {9, 0.25, 0.0625, 9}}));
  const tensor<f32, 2, 4> back = erf_inv(erf(x * 0.25f));
  for (int i = 0; i < 8; ++i) CHECK(back.data()[i] == doctest::Approx(x.data()[i] * 0.25).epsilon(1e-5));
  const tensor<bf16, 2> next =
      next_after(tensor<bf16, 2>{bf16(1.0f), bf16(2.0f)}, tensor<bf16, 2>{bf16(2.0f), bf16(1.0f)});
  CHECK(equal(next, tensor<bf16, 2>{bf16(0x1.02p+0f), bf16(0x1.fep+0f)}));
  constexpr auto best = trace([](auto a) {
    const auto found = top_k<3>(a);
    return results(found[0], found[1]);
  });
  const auto [values, indices] = best(x);
  CHECK(equal(values, tensor<f32, 2, 3>{{2, 1, 0}, {3, 3, 0.25}}));
  CHECK(equal(indices, tensor<i32, 2, 3>{{2, 3, 1}, {0, 3, 2}}));
}

namespace {

// As PyTorch's cumulative maximum, and the rows of a mixture of experts.
struct scan_and_ragged_dot {
  static constexpr std::string_view text = R"(
    func.func public @main(%x: tensor<2x4xf32>, %w: tensor<3x4x2xf32>, %n: tensor<3xi32>)
        -> (tensor<2x4xf32>, tensor<2xf32>, tensor<4xi32>, tensor<2x2xf32>) {
      %low = stablehlo.constant dense<0xFF800000> : tensor<2xf32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %most, %last = chlo.scan(%x) inits (%low) dimension = 1 {
      ^bb0(%here: tensor<2xf32>, %so_far: tensor<2xf32>):
        %0 = stablehlo.maximum %here, %so_far : tensor<2xf32>
        stablehlo.return %0, %0 : tensor<2xf32>, tensor<2xf32>
      } : (tensor<2x4xf32>, tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
      %one = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
      %sums, %sum = chlo.scan(%one) inits (%zero) dimension = 0 attributes {is_reverse = true} {
      ^bb0(%here: tensor<i32>, %so_far: tensor<i32>):
        %0 = stablehlo.add %here, %so_far : tensor<i32>
        stablehlo.return %0, %0 : tensor<i32>, tensor<i32>
      } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
      %rows = "chlo.ragged_dot"(%x, %w, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
          lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
          rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
        : (tensor<2x4xf32>, tensor<3x4x2xf32>, tensor<3xi32>) -> tensor<2x2xf32>
      return %most, %last, %sums, %rows : tensor<2x4xf32>, tensor<2xf32>, tensor<4xi32>, tensor<2x2xf32>
    }
  )";
};

}  // namespace

TEST_CASE("scan and ragged_dot in a text") {
  tensor<f32, 3, 4, 2> weights;
  for (int i = 0; i < 24; ++i) weights.data()[i] = float(i);
  const auto [most, last, sums, rows] = program<scan_and_ragged_dot>{}(x, weights, tensor<i32, 3>{0, 1, 4});
  CHECK(equal(most, tensor<f32, 2, 4>{{-1, 0, 2, 2}, {3, 3, 3, 3}}));
  CHECK(equal(last, tensor<f32, 2>{2, 3}));
  CHECK(equal(sums, tensor<i32, 4>{10, 9, 7, 4}));
  // Row 0 with the second matrix, row 1 with the third.
  CHECK(equal(rows, tensor<f32, 2, 2>{{-8.0f + 2 * 12 + 14, -9.0f + 2 * 13 + 15},
                                      {3 * 16.0f - 9 + 5 + 3 * 22, 3 * 17.0f - 9.5f + 5.25f + 3 * 23}}));
}

TEST_CASE("scan and ragged_dot of C++") {
  constexpr auto running = trace([](auto a, auto start) {
    const auto found = scan<0, 1, 1, 2>(a, start, [](auto here, auto total) {
      const auto sum = here + total;
      return results(sum, here * total, sum);
    });
    return results(found[0], found[1], found[2]);
  });
  const auto [sums, products, total] = running(tensor<f32, 3, 2>{{1, 2}, {3, 4}, {5, 6}}, tensor<f32, 2>{1, 0});
  CHECK(equal(sums, tensor<f32, 3, 2>{{2, 2}, {5, 6}, {10, 12}}));
  CHECK(equal(products, tensor<f32, 3, 2>{{1, 0}, {6, 8}, {25, 36}}));
  CHECK(equal(total, tensor<f32, 2>{10, 12}));
  constexpr ops::ragged_dot rows{{{}, {}, ints{1}, ints{0}, ints{1}, {}}};
  const tensor<f32, 2, 1, 1> parts =
      ragged_dot<rows>(tensor<f32, 1, 3>{{1, 2, 3}}, tensor<f32, 3, 1>{{1}, {10}, {100}}, tensor<i64, 2>{1, 2});
  CHECK(parts(0, 0, 0) == 1);
  CHECK(parts(1, 0, 0) == 320);
}
