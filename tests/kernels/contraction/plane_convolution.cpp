// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/contraction/plane_convolution.hpp>

#include <tenon/kernels/table.hpp>

#include <ops/evaluate.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

struct sizes {
  index_t batch, features, rows, columns, outputs, window, stride, low, high, dilation, base_dilation, groups;
};

// Small integers, so that sums are exact in any order.
template <class T>
value numbers(const ints& shape) {
  std::vector<T> all;
  for (index_t i = 0; i < shape.product(); ++i) all.push_back(T(i * 37 % 17 - 8));
  return tensor_of(shape, all);
}

// The operand with its features in front of or behind its pixels, or its pixels columns first; the result in planes.
template <class T>
void check(const sizes& s, int layout) {
  CAPTURE(layout);
  CAPTURE(s.rows);
  CAPTURE(s.columns);
  CAPTURE(s.window);
  CAPTURE(s.stride);
  CAPTURE(s.outputs);
  ops::convolution op;
  op.window_strides = {s.stride, s.stride};
  op.padding = {{s.low, s.high}, {s.high, s.low}};
  op.lhs_dilation = {s.base_dilation, s.base_dilation};
  op.rhs_dilation = {s.dilation, s.dilation};
  op.window_reversal = {0, layout == 2};
  op.feature_group_count = s.groups;
  op.dimension_numbers = {0, 1, {2, 3}, 1, 0, {2, 3}, 0, 1, {2, 3}};
  ints lhs{s.batch, s.features, s.rows, s.columns}, rhs{s.outputs, s.features / s.groups, s.window, s.window};
  if (layout == 1) {
    op.dimension_numbers.input_feature_dimension = 3, op.dimension_numbers.input_spatial_dimensions = {1, 2};
    lhs = {s.batch, s.rows, s.columns, s.features};
  } else if (layout == 2) {
    op.dimension_numbers.input_spatial_dimensions = {3, 2}, op.dimension_numbers.kernel_spatial_dimensions = {1, 0};
    op.dimension_numbers.kernel_output_feature_dimension = 3, op.dimension_numbers.kernel_input_feature_dimension = 2;
    lhs = {s.batch, s.features, s.columns, s.rows}, rhs = {s.window, s.window, s.features / s.groups, s.outputs};
  }
  const ints pixels = op.window(rhs).count(lhs.select(op.dimension_numbers.input_spatial_dimensions));
  const tensor_type result = type_of(dtype_of<T>, {s.batch, s.outputs, pixels[0], pixels[1]});
  if (result.size() == 0) return;
  const std::vector<value> operands = {numbers<T>(lhs), numbers<T>(rhs)};
  const auto defined = evaluate_by([&](const evaluation& e) { op.evaluate<T>(e); }, op, operands, {result});
  const auto found = evaluate_by(
      [](const evaluation& e) { kernel_of<ops::convolution, dtype_of<T>, dtype_of<T>>()(e); }, op, operands, {result});
  CHECK(found[0].bytes == defined[0].bytes);
}

template <class T>
void check_all() {
  const std::vector<sizes> all = {
      {1, 3, 32, 32, 16, 3, 1, 1, 1, 1, 1, 1},  {1, 3, 23, 21, 5, 7, 2, 3, 3, 1, 1, 1},
      {8, 5, 4, 4, 40, 3, 1, 1, 1, 1, 1, 1},    {3, 40, 7, 7, 9, 3, 1, 1, 1, 1, 1, 1},
      {1, 32, 8, 8, 32, 3, 1, 1, 1, 1, 1, 32},  {2, 9, 6, 6, 9, 5, 1, 2, 2, 1, 1, 9},
      {1, 2, 40, 37, 2, 13, 1, 6, 6, 1, 1, 2},  {2, 6, 17, 19, 12, 3, 2, 0, 1, 1, 1, 3},
      {1, 17, 16, 16, 24, 1, 1, 0, 0, 1, 1, 1}, {1, 16, 16, 16, 3, 1, 1, 0, 0, 1, 1, 1},
      {1, 17, 15, 15, 24, 1, 2, 0, 0, 1, 1, 1}, {2, 6, 8, 8, 4, 4, 1, 2, 2, 1, 2, 1},
      {1, 4, 9, 8, 11, 3, 2, 2, 1, 2, 3, 1},    {2, 3, 5, 5, 4, 2, 1, 0, 1, 1, 3, 1},
      {1, 7, 20, 20, 8, 3, 1, 2, 2, 2, 1, 1},   {1, 2, 30, 30, 3, 3, 1, 9, 9, 9, 1, 1},
      {1, 200, 6, 6, 33, 3, 1, 1, 1, 1, 1, 1},  {1, 5, 12, 13, 6, 3, 1, 0, 0, 1, 1, 1},
      {2, 4, 10, 10, 8, 3, 3, -1, 2, 1, 1, 2},  {1, 1, 3, 90, 2, 2, 1, 1, 60, 1, 1, 1},
      {1, 3, 2, 2, 4, 2, 1, 0, 0, 1, 1, 1},     {4, 3, 1, 1, 20, 1, 1, 0, 0, 1, 1, 1},
      {1, 2, 9, 9, 2, 2, 5, 0, 0, 3, 1, 1},     {5, 30, 2, 3, 17, 3, 1, 2, 2, 1, 1, 1},
  };
  for (const sizes& each : all)
    for (int layout = 0; layout < 3; ++layout) check<T>(each, layout);
}

}  // namespace

TEST_CASE("convolutions to planes are those of the definition, however operands lie") {
  check_all<f32>();
  check_all<f64>();
  check_all<i32>();
}

TEST_CASE("sums over windows with more positions than are listed at once") {
  check<f32>({1, 3, 12, 14, 4, 12, 1, 5, 6, 1, 1, 1}, 0);
  check<f32>({2, 4, 40, 40, 2, 20, 2, 3, 3, 1, 1, 2}, 0);
}
