// SPDX-License-Identifier: Apache-2.0
//
// Gradients: of a loss, of a fit by least squares, of loops, and of a StableHLO text.
#include <tenon/gradients.hpp>
#include <tenon/programs.hpp>

#include <cstdio>

using namespace tenon;

constexpr auto loss_of = trace([](auto w, auto x, auto y) { return mean(square(matmul(x, w) - y)); });

constexpr auto improved = trace([](auto w, auto x, auto y) {
  auto [loss, by_w] = value_and_grad(loss_of)(w, x, y);
  return results(w - 0.1f * by_w, loss);
});

void descend() {
  const tensor<f32, 4, 2> x{{1, 0}, {1, 1}, {1, 2}, {1, 3}};
  const tensor<f32, 4> y{1, 3, 5, 7};
  tensor<f32, 2> w{};
  for (int turn = 0; turn < 200; ++turn) w = std::get<0>(improved(w, x, y));
  std::printf("line: %.2f + %.2f x\n", double(w(0)), double(w(1)));
}

// A curve a * exp(b * t) through points: Gauss-Newton solves for the step with all derivatives of the residuals.
constexpr auto residuals = trace([](auto p, auto t, auto y) {
  const auto a = broadcast_like(p(at<0>), t), b = broadcast_like(p(at<1>), t);
  return a * exp(b * t) - y;
});
constexpr auto improve = trace([](auto p, auto t, auto y) {
  const auto r = residuals(p, t, y), j = jacobian<mode::forward>(residuals)(p, t, y);
  return p - solve(matmul(transpose(j), j), matmul(transpose(j), r));
});

void fit() {
  const tensor<f64, 5> t{0, 1, 2, 3, 4}, y{2, 2.7, 3.64, 4.92, 6.64};
  tensor<f64, 2> p{1, 0.5};
  for (int turn = 0; turn < 6; ++turn) p = improve(p, t, y);
  std::printf("curve: %.2f exp(%.2f t)\n", p(0), p(1));
}

// Loops of unknown length: Heron's square root, and Kepler's equation E = M + e sin(E).
constexpr auto root = trace([](auto c) {
  return while_<at_most<40>>(
      c, [=](auto x) { return abs(x * x - c) > 1e-5f * c; }, [=](auto x) { return 0.5f * (x + c / x); });
});
constexpr auto anomaly = trace([](auto m, auto e) { return fixed_point([=](auto x) { return m + e * sin(x); }, m); });

void iterate() {
  const tensor<f32> nine(9.0f), m(1.0f), e(0.2f);
  auto [three, slope] = value_and_grad(root)(nine);
  auto [angle, by_m, by_e] = value_and_grad<0, 1>(anomaly)(m, e);
  std::printf("root %.3f, slope %.4f\n", double(three()), double(slope()));
  std::printf("anomaly %.4f, slopes %.4f %.4f\n", double(angle()), double(by_m()), double(by_e()));
}

// A program from elsewhere.
using energy = TENON_PROGRAM(R"(func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.cosine %x : tensor<3xf32>
  %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions = [0]
     : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
})");

void differentiate_text() {
  const tensor<f32, 3> x{0, 1, 2};
  auto [value, force] = value_and_grad(energy{})(x);
  std::printf("energy %.3f, force %.3f %.3f\n", double(value()), double(force(1)), double(force(2)));
}

int main() {
  descend();
  fit();
  iterate();
  differentiate_text();
}
