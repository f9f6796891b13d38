// SPDX-License-Identifier: Apache-2.0
//
// Classifies handwritten digits with a network that was trained with JAX (train.py) and exported as StableHLO text. The
// C++ compiler turns the text into the program; what is left to run are its loops.

#include <tenon/tenon.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>

using namespace tenon;

struct classifier {
  static constexpr std::string_view text =
#include "model.mlir.inc"
      ;
};
using net = tenon::program<classifier>;

namespace {

// Every allocation of the process is counted, to show that classifying needs none.
long allocations = 0;

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  if (void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)) return memory;
  std::abort();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, std::size_t(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

constexpr int image_count = 360;
using image = tensor_view<const ui8, 1, 8, 8, 1>;
using scores = tensor<f32, 1, 10>;

image image_of(const tensor<ui8, image_count, 8, 8, 1>& images, int i) { return image(images.data() + 64 * i); }

int digit_of(const f32* scores_of_image) {
  int best = 0;
  for (int digit = 1; digit < 10; ++digit)
    if (scores_of_image[digit] > scores_of_image[best]) best = digit;
  return best;
}

// The image, and beside it the ten scores.
void draw(const image& pixels, const scores& found, int label) {
  const int guess = digit_of(found.data());
  std::printf("%s: a %d, taken for a %d\n", guess == label ? "right" : "WRONG", label, guess);
  for (int row = 0; row < 10; ++row) {
    std::printf("  ");
    for (int column = 0; column < 8; ++column) {
      const int darkness = row < 8 ? pixels(0, row, column, 0) * 9 / 16 : 0;
      const char shade = " .:-=+*#%@"[darkness];
      std::printf("%c%c", shade, shade);
    }
    const f32 score = found(0, row);
    std::printf("   %d %7.3f ", row, double(score));
    for (int bar = 0; bar < int(score * 3); ++bar) std::putchar('=');
    std::printf("%s\n", row == guess ? " <" : "");
  }
}

}  // namespace

int main() {
  tensor<ui8, image_count, 8, 8, 1> images;
  tensor<i32, image_count> labels;
  tensor<f32, image_count, 10> expected;
  try {
    load_npy("images.npy", images);
    load_npy("labels.npy", labels);
    load_npy("logits.npy", expected);
  } catch (const error& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }

  const long allocations_before = allocations;
  int confusion[10][10]{}, right = 0, right_in_jax = 0, shown = 0;
  f32 largest_difference = 0;
  for (int i = 0; i < image_count; ++i) {
    const auto [found] = net{}(image_of(images, i));
    const int label = labels(i), guess = digit_of(found.data());
    ++confusion[label][guess];
    right += guess == label;
    right_in_jax += digit_of(&expected(i, 0)) == label;
    for (int digit = 0; digit < 10; ++digit)
      largest_difference = std::fmax(largest_difference, std::fabs(found(0, digit) - expected(i, digit)));
    // The first three, and the first mistake.
    const bool first_mistake = guess != label && i + 1 - right == 1;
    if (shown < 3 || first_mistake) {
      draw(image_of(images, i), found, label);
      ++shown;
    }
  }

  const auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> elapsed{};
  long classified = 0;
  scores found;
  while (elapsed.count() < 0.5) {
    for (int i = 0; i < image_count; ++i) net{}.into(found)(image_of(images, i));
    classified += image_count;
    elapsed = std::chrono::steady_clock::now() - start;
  }
  const long allocations_of_run = allocations - allocations_before;

  std::printf("\nconfusion: written digit (row), taken for (column)\n      ");
  for (int digit = 0; digit < 10; ++digit) std::printf("%4d", digit);
  for (int label = 0; label < 10; ++label) {
    std::printf("\n  %4d", label);
    for (const int count : confusion[label]) count > 0 ? std::printf("%4d", count) : std::printf("   .");
  }
  std::printf("\n\naccuracy            %d of %d held-out images, %.2f %% (JAX: %d)\n", right, image_count,
              100.0 * right / image_count, right_in_jax);
  std::printf("largest difference  %.2g from the scores that JAX computes\n", double(largest_difference));
  std::printf("speed               %.0f images per second\n", double(classified) / elapsed.count());
  std::printf("working memory      %d bytes, known while compiling\n", int(net::arena_bytes));
  std::printf("fused groups        %d\n", net::fused_groups);
  std::printf("allocations         %ld while classifying\n", allocations_of_run);

  const bool as_in_jax = right == right_in_jax && largest_difference <= 1e-5f && allocations_of_run == 0;
  if (!as_in_jax) std::printf("NOT as JAX computes it\n");
  return as_in_jax ? 0 : 1;
}
