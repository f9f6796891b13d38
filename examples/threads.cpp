// SPDX-License-Identifier: Apache-2.0
//
// A program on several threads. Its results do not depend on how many there are.

#include <tenon/tensors.hpp>
#include <tenon/threads.hpp>

#include <cstdio>

using namespace tenon;

constexpr auto layer = trace([](auto x, auto w) { return tanh(matmul(x, w)); });

int main() {
  const tensor<f32, 256, 128> x = full<f32, ints{256, 128}>(0.5f);
  const tensor<f32, 128, 64> w = reshape<ints{128, 64}>(arange<f32, 128 * 64>() / 1e5);
  const tensor<f32, 256, 64> alone = layer(x, w);

  thread_pool pool(4);  // the calling thread and three more, kept for all calls
  tensor<f32, 256, 64> together;
  layer.by(pool).into(together)(x, w);
  std::printf("%d threads, %s\n", pool.worker_count(), equal(alone, together) ? "the same bits" : "other bits");
}
