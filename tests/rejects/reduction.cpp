// SPDX-License-Identifier: Apache-2.0
//
// expect: reduce_c4: 0 <= dimensions < rank(inputs[0]); operands: tensor<4x6xf32>, tensor<f32>
// expect: reduction.cpp:17
// expect: reduce_window_c5: 0 < window_dimensions; operands: tensor<4x6xf32>, tensor<f32>
// expect: reduction.cpp:18
// expect: sort_c4: -R <= dimension < R, where R = rank(inputs[0]); operands: tensor<4x6xf32>
// expect: reduction.cpp:19

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 4, 6> x;
  tensor<f32> zero;
  auto sum = reduce<ints{2}>(x, zero, ops::add{});
  auto most = reduce_window<ops::reduce_window{.window_dimensions = ints{2, 0}}>(x, zero, ops::maximum{});
  auto sorted = sort<2>(x, ops::compare{.comparison_direction = comparison_direction::LT});
}
