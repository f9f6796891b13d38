// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

using namespace tenon;

void reduction() {
  constexpr shown print;

  // Given.
  const tensor<f32, 2, 3> x{{3, 1, 2}, {4, 6, 5}};
  const tensor<f32, 3> scale{1, 1, 2}, offset{0, 0, 1};

  example("reduce");
  print(reduce<ints{1}>(x, 0.0f, ops::add{}));
  print(reduce<ints{0}>(x, 0.0f, [](auto a, auto b) { return maximum(a, b); }));

  example("reduce_window");
  constexpr ops::reduce_window pairs{.window_dimensions = ints{1, 2}};
  print(reduce_window<pairs>(x, 0.0f, ops::maximum{}));

  example("select_and_scatter");
  constexpr ops::select_and_scatter all_of_a_row{.window_dimensions = ints{1, 3}};
  print(select_and_scatter<all_of_a_row>(
      x, tensor<f32, 2, 1>{{10}, {20}}, 0.0f, [](auto a, auto b) { return a >= b; }, ops::add{}));

  example("sort");
  print(sort<-1>(x, [](auto a, auto b) { return a < b; }));

  example("batch_norm_inference");
  constexpr ops::batch_norm_inference by_column{.epsilon = 0, .feature_index = 1};
  print(batch_norm_inference<by_column>(x, scale, offset, tensor<f32, 3>{3, 3, 3}, tensor<f32, 3>{4, 4, 4}));

  example("batch_norm_training");
  constexpr ops::batch_norm_training trained{.epsilon = 0, .feature_index = 1};
  const auto [normalized, means, variances] = batch_norm_training<trained>(x, scale, offset);
  print(normalized);
  print(means);
  print(variances);

  example("batch_norm_grad");
  constexpr ops::batch_norm_grad gradient{.epsilon = 0, .feature_index = 1};
  const tensor<f32, 3> mean{3.5, 3.5, 3.5}, variance{0.25, 6.25, 2.25};
  const auto [by_operand, by_scale, by_offset] = batch_norm_grad<gradient>(x, scale, mean, variance, x);
  print(by_scale);
  print(by_offset);
}
