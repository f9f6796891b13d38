// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

using namespace tenon;

void lookup() {
  constexpr shown print;

  // Given.
  const tensor<f32, 3, 2> x{{1, 2}, {3, 4}, {5, 6}};
  const tensor<i32, 2> rows{2, 0};

  example("dynamic_slice");
  print(dynamic_slice<ints{2, 1}>(x, tensor<i32>(1), tensor<i32>(1)));

  example("dynamic_update_slice");
  print(dynamic_update_slice(x, tensor<f32, 1, 2>{{0, 0}}, tensor<i32>(1), tensor<i32>(0)));

  example("gather");
  constexpr ops::gather row{.dimension_numbers = {.offset_dims = {1},
                                                  .collapsed_slice_dims = {0},
                                                  .start_index_map = {0},
                                                  .index_vector_dim = 1},
                            .slice_sizes = {1, 2}};
  print(gather<row>(x, rows));

  example("dynamic_gather");
  constexpr ops::dynamic_gather same_row{
      .dimension_numbers = {
          .offset_dims = {1}, .collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1}};
  print(dynamic_gather<same_row, ints{2, 2}>(x, rows, tensor<i32, 2>{1, 2}));

  example("dynamic_pad");
  const tensor<i32, 2> low{1, 0}, high{0, 0}, interior{0, 0};
  print(dynamic_pad<ints{4, 2}>(x, 9.0f, low, high, interior));

  example("real_dynamic_slice");
  const tensor<i32, 2> first{1, 0}, limit{3, 2}, stride{1, 1};
  print(real_dynamic_slice<ints{2, 2}>(x, first, limit, stride));

  example("scatter");
  constexpr ops::scatter at_rows{.scatter_dimension_numbers = {.update_window_dims = {1},
                                                               .inserted_window_dims = {0},
                                                               .scatter_dims_to_operand_dims = {0},
                                                               .index_vector_dim = 1}};
  print(scatter<at_rows>(x, rows, tensor<f32, 2, 2>{{100, 100}, {200, 200}}, ops::add{}));

  example("torch_index_select");
  print(torch_index_select<0>(x, rows));
}
