// SPDX-License-Identifier: Apache-2.0
//
// An image pipeline: blur, edges, threshold, histogram, as one program over a picture of bytes.

#include <tenon/tensors.hpp>

#include <cstdio>

using namespace tenon;

constexpr index_t image_height = 16, image_width = 40;

// Kernels are constants of the program.
constexpr tensor<f32, 3, 3> blur{
    {1.0 / 16, 2.0 / 16, 1.0 / 16}, {2.0 / 16, 4.0 / 16, 2.0 / 16}, {1.0 / 16, 2.0 / 16, 1.0 / 16}};
constexpr tensor<f32, 3, 3> across{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};

constexpr auto edges_of = trace([](auto picture) {
  constexpr conv2d_options same{.padding = padding_kind::same};
  const auto image = reshape<ints{1, image_height, image_width, 1}>(convert<f32>(picture));
  const auto smooth = conv2d<same>(image, reshape<ints{3, 3, 1, 1}>(blur));
  const auto x = conv2d<same>(smooth, reshape<ints{3, 3, 1, 1}>(across));
  const auto y = conv2d<same>(smooth, reshape<ints{3, 3, 1, 1}>(transpose(across)));
  const auto strength = reshape<ints{image_height, image_width}>(sqrt(x * x + y * y));
  const auto bins = convert<i32>(minimum(strength / 100, 3));
  return results(strength > 200, sum<ints{0, 1}>(one_hot<4>(bins)));
});

int main() {
  // A bright disc on a dark ground.
  tensor<ui8, image_height, image_width> picture;
  for (index_t i = 0; i < image_height; ++i)
    for (index_t j = 0; j < image_width; ++j) {
      const f32 y = (f32(i) - 7.5f) / 5, x = (f32(j) - 20) / 12;
      picture(i, j) = x * x + y * y < 1 ? 230 : 20;
    }

  const auto [edges, histogram] = edges_of(picture);
  for (index_t i = 0; i < image_height; ++i) {
    for (index_t j = 0; j < image_width; ++j) std::putchar(edges(i, j) ? '#' : '.');
    std::putchar('\n');
  }
  print(histogram);  // how many pixels have a strength below 100, 200, 300, and above
}
