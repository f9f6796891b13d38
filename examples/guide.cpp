// SPDX-License-Identifier: Apache-2.0
//
// What docs/guide.md shows.

#include <tenon/tenon.hpp>

#include <cstdio>
#include <vector>

using namespace tenon;

namespace {

void tensors() {
  tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  x(0, 1) = 20;
  static_assert(x.shape == ints{2, 3} && x.size == 6);
  for (f32& element : x) element += 1;
  print(x);

  std::vector<f32> samples{1, 2, 3, 4};
  tensor_view<f32, 2, 2> matrix(samples);  // their memory; its size is checked
  matrix = matrix * 10;
  std::printf("%g\n", samples[3]);
}

// Takes any tensor of two dimensions, and gives one with a column for each row.
template <class T, index_t Rows, index_t Columns>
tensor<T, Columns, Rows> doubled(const tensor<T, Rows, Columns>& x) {
  return transpose(2 * x);
}

void expressions() {
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  const tensor<f32, 3> bias{10, 20, 30};

  tensor<f32, 2, 3> y = tanh(x / 4) + broadcast_like(bias, x);  // one loop, no temporaries
  y += 1;
  print(y, stdout, {.most_digits = 4});

  const f32 largest = max(y);
  std::printf("%.4g\n", largest);
  print(x(at<1>, range<0, 2>) * 2);
  print(doubled(x));
}

constexpr auto normalized = trace([](auto x) {
  const auto centred = x - broadcast_like(mean<ints{1}, keepdims>(x), x);
  const auto deviation = sqrt(mean<ints{1}, keepdims>(centred * centred));
  return results(centred / broadcast_like(deviation, x), deviation);
});

void traces() {
  const tensor<f32, 2, 4> x{{1, 2, 3, 4}, {10, 20, 30, 40}};
  auto [y, deviation] = normalized(x);
  print(deviation, stdout, {.most_digits = 4});

  static_assert(normalized.arena_bytes<tensor<f32, 2, 4>> <= 1024);  // known while compiling
  normalized.into(y, deviation)(x);                                  // no allocation, no copy
}

void files() {
  const tensor<f32, 2, 2> weights{{1, 2}, {3, 4}};
  save_npy("weights.npy", weights);

  tensor<f32, 2, 2> read;
  load_npy("weights.npy", read);
  print(equal(read, weights) ? read : weights * 0);
  std::remove("weights.npy");

  try {
    tensor<f32, 3> other;
    load_npy("absent.npy", other);
  } catch (const error& problem) {
    std::printf("%s\n", problem.what());
  }
}

}  // namespace

int main() {
  tensors();
  expressions();
  traces();
  files();
}
