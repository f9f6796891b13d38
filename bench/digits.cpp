// SPDX-License-Identifier: Apache-2.0

// The network of examples/digits, one image at a time, beside the same written by hand with loops over the same
// weights.

#include "programs.hpp"

#include <algorithm>

using namespace bench;

namespace {

struct classifier {
  static constexpr std::string_view text =
#include "model.mlir.inc"
      ;
};
using net = tenon::program<classifier>;

// The constants of the text, which begin it.
struct weights {
  buffer<f32> window_1{3 * 3 * 8}, bias_1{8}, window_2{3 * 3 * 8 * 16}, bias_2{16}, matrix{256 * 10}, bias_3{10};

  weights() {
    std::string ops, types, names;
    std::size_t at = classifier::text.find("%cst");
    for (int i = 0; i < 6; ++i) {
      const std::size_t end = classifier::text.find('\n', at);
      const std::string_view line = classifier::text.substr(at, end - at);
      ops += std::string(line) + "\n";
      names += (i > 0 ? ", " : "") + std::string(line.substr(0, line.find(' ')));
      types += (i > 0 ? ", " : "") + std::string(line.substr(line.rfind("tensor<")));
      at = classifier::text.find("%cst", end);
    }
    const std::string text =
        "func.func @main() -> (" + types + ") {\n" + ops + "return " + names + " : " + types + "\n}";
    loaded_program program(text, find_any_kernel);
    void* results[] = {window_1.data(), bias_1.data(), window_2.data(), bias_2.data(), matrix.data(), bias_3.data()};
    program(nullptr, results);
  }
};

template <index_t Inputs, index_t Outputs>
void layer(const f32* from, const f32* window, const f32* bias, f32* to) {
  for (index_t y = 0; y < 8; ++y)
    for (index_t x = 0; x < 8; ++x) {
      f32 sums[Outputs] = {};
      for (index_t v = 0; v < 3; ++v)
        for (index_t h = 0; h < 3; ++h) {
          const index_t row = y + v - 1, column = x + h - 1;
          if (row < 0 || row > 7 || column < 0 || column > 7) continue;
          for (index_t i = 0; i < Inputs; ++i)
            for (index_t o = 0; o < Outputs; ++o)
              sums[o] += from[(row * 8 + column) * Inputs + i] * window[((v * 3 + h) * Inputs + i) * Outputs + o];
        }
      for (index_t o = 0; o < Outputs; ++o) to[(y * 8 + x) * Outputs + o] = std::max(sums[o] + bias[o], 0.0f);
    }
}

void classify(const weights& w, const ui8* image, f32* scores) {
  f32 pixels[64], first[64 * 8], second[64 * 16], pooled[256];
  for (index_t i = 0; i < 64; ++i) pixels[i] = f32(image[i]) / 16.0f;
  layer<1, 8>(pixels, w.window_1.data(), w.bias_1.data(), first);
  layer<8, 16>(first, w.window_2.data(), w.bias_2.data(), second);
  for (index_t y = 0; y < 4; ++y)
    for (index_t x = 0; x < 4; ++x)
      for (index_t c = 0; c < 16; ++c) {
        const f32* const corner = second + (2 * y * 8 + 2 * x) * 16 + c;
        pooled[(y * 4 + x) * 16 + c] = std::max(std::max(corner[0], corner[16]), std::max(corner[128], corner[144]));
      }
  for (index_t j = 0; j < 10; ++j) scores[j] = 0;
  for (index_t i = 0; i < 256; ++i)
    for (index_t j = 0; j < 10; ++j) scores[j] += pooled[i] * w.matrix[i * 10 + j];
  for (index_t j = 0; j < 10; ++j) scores[j] += w.bias_3[j];
}

[[maybe_unused]] const bool registered = [] {
  static const weights w;
  static const buffer<ui8> image = numbers<ui8>(64, 0, 17);
  compare<f32>("digits, one image", 10, 1e-4, way{"plain", [](f32* to) { classify(w, image.data(), to); }},
               way{"tenon", [](f32* to) {
                     tensor_view<f32, 1, 10> scores(to);
                     net{}.into(scores)(tensor_view<const ui8, 1, 8, 8, 1>(image.data()));
                   }});
  return true;
}();

}  // namespace
