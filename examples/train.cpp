// SPDX-License-Identifier: Apache-2.0
//
// A network trained in C++: two layers learn which of two rings a point belongs to. A step, with its gradients, is one
// program that works where the parameters lie.

#include <tenon/gradients.hpp>

#include <cmath>
#include <cstdio>
#include <random>

using namespace tenon;

constexpr index_t points = 200, hidden = 16;

struct network {
  tensor<f32, 2, hidden> w1;
  tensor<f32, hidden> b1;
  tensor<f32, hidden, 2> w2;
  tensor<f32, 2> b2;
};

constexpr auto scores_of = trace([](auto x, auto w1, auto b1, auto w2, auto b2) {
  const auto h = tanh(matmul(x, w1) + broadcast<ints{points, hidden}>(b1));
  return matmul(h, w2) + broadcast<ints{points, 2}>(b2);
});

constexpr auto loss_of = trace([](auto x, auto labels, auto w1, auto b1, auto w2, auto b2) {
  const auto likely = softmax(scores_of(x, w1, b1, w2, b2));
  return -sum(one_hot<2>(labels) * log(likely)) / f32(points);
});

constexpr auto trained = trace([](auto x, auto labels, auto w1, auto b1, auto w2, auto b2) {
  const auto [loss, by_w1, by_b1, by_w2, by_b2] = value_and_grad<2, 3, 4, 5>(loss_of)(x, labels, w1, b1, w2, b2);
  constexpr f32 rate = 1;
  return results(loss, w1 - rate * by_w1, b1 - rate * by_b1, w2 - rate * by_w2, b2 - rate * by_b2);
});

int main() {
  std::minstd_rand numbers(1);
  const auto random = [&] { return f32(numbers()) / f32(numbers.max()) * 2 - 1; };

  tensor<f32, points, 2> x;
  tensor<i32, points> labels;
  for (index_t i = 0; i < points; ++i) {
    const f32 angle = 3.14159f * random(), distance = f32(1 + i % 2) + 0.3f * random();
    x(i, 0) = distance * std::cos(angle), x(i, 1) = distance * std::sin(angle);
    labels(i) = i32(i % 2);
  }
  network net;
  for (f32& weight : net.w1) weight = random();
  for (f32& weight : net.w2) weight = random();

  tensor<f32> loss;
  for (int turn = 0; turn <= 300; ++turn) {
    trained.into(loss, net.w1, net.b1, net.w2, net.b2)(x, labels, net.w1, net.b1, net.w2, net.b2);
    if (turn % 100 == 0) std::printf("%3d: loss %.2f\n", turn, double(loss()));
  }
  const tensor<f32, points, 2> scores = scores_of(x, net.w1, net.b1, net.w2, net.b2);
  const i32 right = sum(convert<i32>(argmax(scores) == labels));
  std::printf("%d of %d right\n", right, int(points));
}
