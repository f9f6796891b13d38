// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

using namespace tenon;

void contraction() {
  constexpr shown print;

  // Given.
  const tensor<f32, 2, 2> a{{4, 2}, {2, 5}};
  const tensor<f32, 2, 1> b{{2}, {9}};

  example("dot");
  print(dot(a, b));

  example("dot_general");
  constexpr ops::dot_general columns{
      .dot_dimension_numbers = {.lhs_contracting_dimensions = {0}, .rhs_contracting_dimensions = {0}}};
  print(dot_general<columns>(a, b));

  example("cholesky");
  print(cholesky(a));

  example("triangular_solve");
  constexpr ops::triangular_solve below{.left_side = true, .lower = true};
  print(triangular_solve<below>(cholesky(a), b));

  example("fft");
  print(fft<fft_type::RFFT, ints{4}>(tensor<f32, 4>{1, 2, 3, 4}));

  example("convolution");
  constexpr convolution_dimension_numbers lines{.input_batch_dimension = 0,
                                                .input_feature_dimension = 1,
                                                .input_spatial_dimensions = {2},
                                                .kernel_input_feature_dimension = 1,
                                                .kernel_output_feature_dimension = 0,
                                                .kernel_spatial_dimensions = {2},
                                                .output_batch_dimension = 0,
                                                .output_feature_dimension = 1,
                                                .output_spatial_dimensions = {2}};
  const tensor<f32, 1, 1, 5> line{{{1, 2, 4, 7, 11}}};
  const tensor<f32, 1, 1, 2> difference{{{-1, 1}}};
  print(convolution<ops::convolution{.dimension_numbers = lines}>(line, difference));

  example("dynamic_conv");
  constexpr ops::dynamic_conv padded{.dimension_numbers = lines};
  print(dynamic_conv<padded, ints{1, 1, 5}>(line, difference, tensor<i32, 1, 2>{{1, 0}}));
}
