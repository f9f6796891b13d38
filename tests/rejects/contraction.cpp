// SPDX-License-Identifier: Apache-2.0
//
// expect: dot_general_c10: dim(lhs, lhs_contracting_dimensions...) = dim(rhs, rhs_contracting_dimensions...); opera
// expect: contraction.cpp:21
// expect: cholesky_c3: dim(a, -2) = dim(a, -1); operands: tensor<2x3xf32>
// expect: contraction.cpp:22
// expect: triangular_solve_c3: dim(a, -2) = dim(a, -1) = dim(b, left_side ? -2 : -1); operands: tensor<3x3xf32>, te
// expect: contraction.cpp:23
// expect: fft_c4: shape(operand)[-size(fft_length):] = fft_length; operands: tensor<2x3xf32>
// expect: contraction.cpp:24

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2, 3> x;
  tensor<f32, 3, 3> square;
  constexpr ops::dot_general last{
      .dot_dimension_numbers = {.lhs_contracting_dimensions = {1}, .rhs_contracting_dimensions = {1}}};
  auto product = dot_general<last>(x, tensor<f32, 4, 4>{});
  auto root = cholesky(x);
  auto solved = triangular_solve<ops::triangular_solve{.left_side = true}>(square, x);
  auto spectrum = fft<fft_type::RFFT, ints{4}>(x);
}
