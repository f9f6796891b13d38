// SPDX-License-Identifier: Apache-2.0
//
// expect: dynamic_slice_c2: size(start_indices) = size(slice_sizes) = rank(operand); operands: tensor<2x3xf32>, ten
// expect: lookup.cpp:23
// expect: dynamic_update_slice_c6: 0 <= shape(update) <= shape(operand); operands: tensor<2x3xf32>, tensor<3x3xf32>
// expect: lookup.cpp:24
// expect: gather_c9: slice_sizes[collapsed_slice_dims...] <= 1; operands: tensor<2x3xf32>, tensor<4x1xi32>
// expect: lookup.cpp:25

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2, 3> x;
  tensor<i32, 4, 1> i;
  tensor<i32> at;
  constexpr ops::gather rows{.dimension_numbers = {.offset_dims = {1},
                                                   .collapsed_slice_dims = {0},
                                                   .start_index_map = {0},
                                                   .index_vector_dim = 1},
                             .slice_sizes = {2, 3}};
  auto part = dynamic_slice<ints{1, 1}>(x, at);
  auto written = dynamic_update_slice(x, tensor<f32, 3, 3>{}, at, at);
  auto picked = gather<rows>(x, i);
}
