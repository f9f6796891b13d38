// SPDX-License-Identifier: Apache-2.0
//
// Traced functions: the way to write programs of more than a few ops in C++.

#include <tenon/tenon.hpp>

using namespace tenon;

// The ops are recorded while compiling, and run as one program.
constexpr auto softmax_layer = trace([](auto x, auto w, auto b) {
  auto e = exponential(dot(x, w) + broadcast_in_dim<ints{2, 3}, ints{1}>(b));
  return e / broadcast_in_dim<ints{2, 3}, ints{0}>(reduce<ints{1}>(e, 0.0f, ops::add{}));
});

// Several results, and a function within a function.
constexpr auto most_likely = trace([](auto x, auto w, auto b) {
  auto likelihood = softmax_layer(x, w, b);
  return results(argmax(likelihood), max<ints{-1}>(likelihood));
});

int main() {
  tensor<f32, 2, 4> x{{1, 2, 3, 4}, {4, 3, 2, 1}};
  tensor<f32, 4, 3> w{{0.1, 0.2, 0.3}, {0.3, 0.2, 0.1}, {0.5, 0, 0.1}, {0, 0.5, 0.1}};
  tensor<f32, 3> b{1, 0.5, 0};

  tensor<f32, 2, 3> y = softmax_layer(x, w, b);
  print(y, stdout, {.most_digits = 4});

  auto [choice, certainty] = most_likely(x, w, b);
  print(choice);
  print(certainty, stdout, {.most_digits = 4});

  // The compiler knows how many bytes it works in, and how many loops its elementwise and moving ops became.
  using program = decltype(softmax_layer)::program_for<decltype(x), decltype(w), decltype(b)>;
  static_assert(program::arena_bytes < 8192 && program::fused_groups > 0);

  // The same on memory of the caller, with no allocation at all.
  arena<program::arena_bytes> memory;
  softmax_layer.on(memory).into(y)(x, w, b);
}
