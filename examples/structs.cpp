// SPDX-License-Identifier: Apache-2.0
//
// Logistic regression whose parameters are a struct: a traced step takes it and gives it back, as JAX does with trees.
// The gradient by a struct is one too.
#include <tenon/gradients.hpp>
#include <tenon/tree.hpp>

#include <cstdio>

using namespace tenon;

struct classifier {
  BOOST_HANA_DEFINE_STRUCT(classifier, (tensor<f32, 2>, weights), (tensor<f32>, bias));
};
struct training {
  BOOST_HANA_DEFINE_STRUCT(training, (classifier, parameters), (classifier, momentum), (int, steps));
};
struct examples {
  BOOST_HANA_DEFINE_STRUCT(examples, (tensor<f32, 64, 2>, x), (tensor<f32, 64>, y));
};

constexpr auto loss_of = trace([](auto parameters, auto batch) {
  auto [weights, bias] = parameters;
  auto [x, y] = batch;
  const auto p = sigmoid(matmul(x, weights) + broadcast_like(bias, y));
  return -mean(log(where(y > 0.5f, p, 1 - p)));
});

constexpr auto descend = trace([](auto state, auto batch) {
  auto [parameters, momentum, steps] = state;
  auto [weights, bias] = parameters;
  const auto [loss, gradient] = value_and_grad(loss_of)(parameters, batch);
  const auto by_weights = get<"weights">(momentum) * 0.9f + get<"weights">(gradient);
  const auto by_bias = get<"bias">(momentum) * 0.9f + get<"bias">(gradient);
  return results(tree<training>(tree<classifier>(weights - by_weights, bias - by_bias), by_weights, by_bias, steps + 1),
                 loss);
});

int main() {
  const auto [first, second] = random::split(random::key(7));
  examples batch;
  batch.x = random::normal<f32, ints{64, 2}>(first);
  batch.y = convert<f32>(matmul(batch.x, tensor<f32, 2>{2, -1}) + random::normal<f32, ints{64}>(second) * 0.25 > 0);

  training state{};
  while (state.steps < 100) {
    auto [next, loss] = descend(state, batch);
    if (state.steps % 25 == 0) std::printf("loss %.3f after %d steps\n", loss(), state.steps);
    state = next;
  }
  std::printf("weights %.1f %.1f\n", state.parameters.weights(0), state.parameters.weights(1));
}
