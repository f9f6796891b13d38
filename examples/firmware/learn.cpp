// SPDX-License-Identifier: Apache-2.0
//
// Two dense layers that learn the digits where they run: first the last layer alone, then the whole network, by
// gradients that are written while compiling. The weights are compared with those that learn.py computes in double
// precision.

#include "report.hpp"

#include <tenon/gradients.hpp>

using namespace tenon;

namespace {

constexpr index_t batch = 16;

constexpr auto scores_of = trace([](auto pixels, auto w0, auto b0, auto w1, auto b1) {
  const auto hidden = matmul(convert<f32>(pixels) / 16.0f, w0) + broadcast<ints{batch, 32}>(b0);
  return matmul(maximum(hidden, 0.0f), w1) + broadcast<ints{batch, 10}>(b1);
});
constexpr auto loss_of = trace([](auto pixels, auto labels, auto w0, auto b0, auto w1, auto b1) {
  const auto scores = scores_of(pixels, w0, b0, w1, b1);
  const auto shifted = scores - broadcast_in_dim<ints{batch, 10}, ints{0}>(stop_gradient(max<ints{1}>(scores)));
  const auto of_label = sum<ints{1}>(one_hot<10>(labels) * shifted);
  return sum(log(sum<ints{1}>(exp(shifted))) - of_label) / f32(batch);
});

constexpr auto learn_last = trace([](auto pixels, auto labels, auto w0, auto b0, auto w1, auto b1) {
  const auto [loss, by_w1, by_b1] = value_and_grad<4, 5>(loss_of)(pixels, labels, w0, b0, w1, b1);
  return results(loss, w0, b0, w1 - 0.5f * by_w1, b1 - 0.5f * by_b1);
});
constexpr auto learn_all = trace([](auto pixels, auto labels, auto w0, auto b0, auto w1, auto b1) {
  const auto [loss, by_w0, by_b0, by_w1, by_b1] = value_and_grad<2, 3, 4, 5>(loss_of)(pixels, labels, w0, b0, w1, b1);
  return results(loss, w0 - 0.25f * by_w0, b0 - 0.25f * by_b0, w1 - 0.25f * by_w1, b1 - 0.25f * by_b1);
});

using images = tensor_view<const ui8, batch, 64>;
using digits = tensor_view<const i32, batch>;

// Weights, and those after a step: nothing is written over what is read.
struct network {
  f32 w0[64 * 32], b0[32], w1[32 * 10], b1[10];
};
constexpr unsigned weights = sizeof(network) / sizeof(f32);
[[gnu::section(".noinit")]] network now, next;

template <class Step>
constexpr index_t arena_of =
    Step::template arena_bytes<images, digits, tensor_view<const f32, 64, 32>, tensor_view<const f32, 32>,
                               tensor_view<const f32, 32, 10>, tensor_view<const f32, 10>>;
constexpr index_t last_bytes = arena_of<decltype(learn_last)>, all_bytes = arena_of<decltype(learn_all)>;
static_assert(last_bytes < 32'000 && all_bytes < 32'000);
[[gnu::section(".noinit")]] alignas(64) arena<(all_bytes > last_bytes ? all_bytes : last_bytes)> memory;

void read(const char* file, unsigned offset, void* to, unsigned size) {
  constexpr unsigned header = 128;  // of an .npy file
  if (board::read(file, header + offset, to, size)) return;
  line() << file << " is missing";
  board::stop(3);
}

// A pass over the images; gives the loss of the last batch, and the instructions of a step.
template <class Step>
f32 learn(Step step, std::uint32_t& time) {
  f32 loss = 0;
  for (unsigned first = 0; first < 320; first += batch) {
    ui8 pixels[batch * 64];
    i32 labels[batch];
    read("images.npy", first * 64, pixels, sizeof pixels);
    read("labels.npy", first * sizeof(i32), labels, sizeof labels);
    const std::uint32_t start = board::now();
    step.on(memory).into(tensor_view<f32>(&loss), tensor_view<f32, 64, 32>(next.w0), tensor_view<f32, 32>(next.b0),
                         tensor_view<f32, 32, 10>(next.w1), tensor_view<f32, 10>(next.b1))(
        images(pixels), digits(labels), tensor_view<const f32, 64, 32>(now.w0), tensor_view<const f32, 32>(now.b0),
        tensor_view<const f32, 32, 10>(now.w1), tensor_view<const f32, 10>(now.b1));
    time = board::now() - start;
    now = next;
  }
  return loss;
}

void compare(unsigned phase, largest_difference& difference) {
  for (unsigned i = 0; i < weights; ++i) {
    f32 wanted = 0;
    read("learned.npy", (phase * weights + i) * sizeof wanted, &wanted, sizeof wanted);
    const unsigned b0 = 64 * 32, w1 = b0 + 32, b1 = w1 + 32 * 10;
    difference.add(i < b0 ? now.w0[i] : i < w1 ? now.b0[i - b0] : i < b1 ? now.w1[i - w1] : now.b1[i - b1], wanted);
  }
}

}  // namespace

int main() {
  tenon::on_failure = [](const char* message) {
    line() << message;
    board::stop(3);
  };
  read("start.npy", 0, &now, sizeof now);
  largest_difference difference;
  std::uint32_t time = 0;
  f32 loss = 0;
  for (int epoch = 0; epoch < 2; ++epoch) loss = learn(learn_last, time);
  line() << "last layer: loss " << loss << ", " << time << board::unit_of_now << " a step, arena "
         << std::uint32_t(last_bytes) << " bytes";
  compare(0, difference);
  for (int epoch = 0; epoch < 5; ++epoch) loss = learn(learn_all, time);
  line() << "network: loss " << loss;
  compare(1, difference);
  finish(difference.is_at_most(1e-4f), difference, unsigned(sizeof memory), time, "learn.py");
}
