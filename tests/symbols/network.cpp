// SPDX-License-Identifier: Apache-2.0
//
// A convolution, its bias and a pool: on channels that fill vectors, without padding.
#include <tenon/tensors.hpp>

using namespace tenon;

constexpr auto network = trace([](auto images, auto weights, auto bias) {
  constexpr convolution_dimension_numbers channels_last{.input_feature_dimension = 3,
                                                        .input_spatial_dimensions = {1, 2},
                                                        .kernel_input_feature_dimension = 2,
                                                        .kernel_output_feature_dimension = 3,
                                                        .kernel_spatial_dimensions = {0, 1},
                                                        .output_feature_dimension = 3,
                                                        .output_spatial_dimensions = {1, 2}};
  constexpr ops::reduce_window squares{.window_dimensions = {1, 2, 2, 1}, .window_strides = {1, 2, 2, 1}};
  const auto convolved = convolution<ops::convolution{.dimension_numbers = channels_last}>(images, weights);
  return reduce_window<squares>(maximum(convolved + bias, 0.0f), 0.0f, ops::maximum{});
});

void run(const tensor<f32, 4, 10, 10, 3>& images, const tensor<f32, 3, 3, 3, 32>& weights,
         const tensor<f32, 4, 8, 8, 32>& bias, tensor<f32, 4, 4, 4, 32>& result) {
  result = network(images, weights, bias);
}
