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
