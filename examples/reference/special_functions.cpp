// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

using namespace tenon;

void special_functions() {
  constexpr shown print;

  // Given.
  const tensor<f32, 3> x{-0.5, 0, 0.75}, y{1, 2.5, 4};

  example("acos");
  print(acos(x));

  example("acosh");
  print(acosh(y));

  example("asin");
  print(asin(x));

  example("asinh");
  print(asinh(y));

  example("atan");
  print(atan(y));

  example("atanh");
  print(atanh(x));

  example("bessel_i1e");
  print(bessel_i1e(y));

  example("conj");
  print(conj(tensor<complex<f32>, 2>{complex<f32>{3, 4}, complex<f32>{0, -1}}));

  example("cosh");
  print(cosh(x));

  example("digamma");
  print(digamma(y));

  example("erf");
  print(erf(x));

  example("erf_inv");
  print(erf_inv(x));

  example("erfc");
  print(erfc(x));

  example("is_inf");
  print(is_inf(y / x));

  example("is_neg_inf");
  print(is_neg_inf(y / x));

  example("is_pos_inf");
  print(is_pos_inf(y / x));

  example("lgamma");
  print(lgamma(y));

  example("mulhi");
  print(mulhi(tensor<ui8, 3>{1, 100, 255}, tensor<ui8, 3>{255, 100, 255}));

  example("next_after");
  print(next_after(y, x) < y);

  example("polygamma");
  print(polygamma(1, y));

  example("sinh");
  print(sinh(x));

  example("square");
  print(square(y));

  example("zeta");
  print(zeta(2, y));

  example("top_k");
  const auto [values, places] = top_k<2>(tensor<f32, 4>{3, 7, 1, 5});
  print(values);
  print(places);

  example("ragged_dot");
  constexpr ops::ragged_dot by_groups{.ragged_dot_dimension_numbers = {.lhs_contracting_dimensions = {1},
                                                                       .rhs_contracting_dimensions = {1},
                                                                       .lhs_ragged_dimensions = {0},
                                                                       .rhs_group_dimensions = {0}}};
  const tensor<f32, 3, 2> rows{{1, 1}, {2, 2}, {3, 3}};
  const tensor<f32, 2, 2, 1> matrices{{{1}, {1}}, {{10}, {10}}};
  print(ragged_dot<by_groups>(rows, matrices, tensor<i64, 2>{1, 2}));  // the first row, then two

  example("scan");
  const auto [sums, total] =
      scan<0, 1, 1, 1>(y, tensor<f32>(0), [](auto here, auto before) { return results(here + before, here + before); });
  print(sums);
  print(total);
}
