// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.hpp"

#include <tenon/programs.hpp>

// Called with the message of what cannot go on; the program must not come back from it.
inline void report_failure(const char* message) {
  line() << message;
  board::stop(3);
}

// Classifies the held-out digits with a program that takes ui8 pixels in the shape `Image` and gives ten scores, and
// compares these with JAX's.
template <class Net, class Image>
[[noreturn]] void classify_all(tenon::arena<Net::arena_bytes>& memory, const char* scores_of_jax, float bound) {
  constexpr unsigned images = 360, header = 128;  // of an .npy file
  tenon::on_failure = report_failure;
  tenon::ui8 pixels[64];
  tenon::f32 scores[10], wanted[10];
  std::int32_t label = 0;
  largest_difference difference;
  unsigned right = 0, right_in_jax = 0;
  std::uint32_t time = 0;
  const auto digit_of = [](const float* of) {
    int best = 0;
    for (int i = 1; i < 10; ++i)
      if (of[i] > of[best]) best = i;
    return best;
  };
  for (unsigned i = 0; i < images; ++i) {
    if (!board::read("images.npy", header + i * sizeof pixels, pixels, sizeof pixels) ||
        !board::read("labels.npy", header + i * sizeof label, &label, sizeof label) ||
        !board::read(scores_of_jax, header + i * sizeof wanted, wanted, sizeof wanted))
      report_failure("a file is missing");
    const std::uint32_t start = board::now();
    Net{}.on(memory).into(tenon::tensor_view<tenon::f32, 1, 10>(scores))(Image(pixels));
    if (const std::uint32_t taken = board::now() - start; i == 0 || taken < time) time = taken;
    for (int k = 0; k < 10; ++k) difference.add(scores[k], wanted[k]);
    right += digit_of(scores) == label;
    right_in_jax += digit_of(wanted) == label;
    if (i == 0)
      for (int k = 0; k < 10; ++k) line() << "score of " << std::uint32_t(k) << ": " << scores[k];
  }
  line() << "right " << std::uint32_t(right) << " of " << std::uint32_t(images);
  finish(right == right_in_jax && difference.is_at_most(bound), difference, Net::arena_bytes, time);
}
