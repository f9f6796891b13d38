// SPDX-License-Identifier: Apache-2.0
//
// expect: transpose_c2: permutation is a permutation of range(rank(operand)); operands: tensor<2x3xf32>
// expect: movement.cpp:19
// expect: slice_c3: 0 <= start_indices <= limit_indices <= shape(operand); operands: tensor<2x3xf32>
// expect: movement.cpp:20
// expect: concatenate_c2: same(shape(inputs...)) except dim(inputs..., dimension); operands: tensor<2x3xf32>, tenso
// expect: movement.cpp:21
// expect: pad_c2: size(edge_padding_low) = size(edge_padding_high) = size(interior_padding) = rank(operand); operan
// expect: movement.cpp:22

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2, 3> x;
  tensor<f32> zero;
  auto turned = transpose<ints{0, 0}>(x);
  auto part = slice<ints{0, 1}, ints{2, 4}>(x);
  auto joined = concatenate<0>(x, tensor<f32, 2, 2>{});
  auto padded = pad<ints{1}, ints{1}, ints{0}>(x, zero);
}
