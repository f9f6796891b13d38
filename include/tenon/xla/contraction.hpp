// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

namespace tenon::xla {

constexpr XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers) {
  return detail::record(
      ops::dot_general{.dot_dimension_numbers = dimension_numbers, .precision_config = {}, .algorithm = {}}, lhs, rhs);
}
// Vectors and matrices.
constexpr XlaOp Dot(XlaOp lhs, XlaOp rhs) {
  const int rank = lhs.type().rank();
  if (!detail::check("xla_dot", "lhs and rhs have 1 or 2 dimensions",
                     1 <= rank && rank <= 2 && 1 <= rhs.type().rank() && rhs.type().rank() <= 2, lhs, rhs))
    return lhs;
  return DotGeneral(lhs, rhs, {.lhs_contracting_dimensions = {rank - 1}, .rhs_contracting_dimensions = {0}});
}
constexpr XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, const ints& window_strides, const ints_table& padding,
                                   const ints& lhs_dilation, const ints& rhs_dilation,
                                   const ConvolutionDimensionNumbers& dimension_numbers,
                                   std::int64_t feature_group_count = 1, std::int64_t batch_group_count = 1) {
  ops::convolution op;
  op.window_strides = window_strides;
  op.padding = padding;
  op.lhs_dilation = lhs_dilation;
  op.rhs_dilation = rhs_dilation;
  op.dimension_numbers = dimension_numbers;
  op.feature_group_count = feature_group_count;
  op.batch_group_count = batch_group_count;
  return detail::record(op, lhs, rhs);
}
constexpr XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, const ints& window_strides, const ints_table& padding,
                            const ConvolutionDimensionNumbers& dimension_numbers, std::int64_t feature_group_count = 1,
                            std::int64_t batch_group_count = 1) {
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, {}, {}, dimension_numbers, feature_group_count,
                            batch_group_count);
}
constexpr XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, const ints& window_strides, Padding padding,
                                          const ConvolutionDimensionNumbers& dimension_numbers,
                                          std::int64_t feature_group_count = 1, std::int64_t batch_group_count = 1) {
  const ints sizes = lhs.type().shape.select(dimension_numbers.input_spatial_dimensions);
  const ints window = rhs.type().shape.select(dimension_numbers.kernel_spatial_dimensions);
  return ConvGeneral(lhs, rhs, window_strides, detail::padding_of(padding, sizes, window, window_strides),
                     dimension_numbers, feature_group_count, batch_group_count);
}

// Batch, feature, then spatial dimensions; in the kernel output feature, input feature, then spatial dimensions.
constexpr ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2) {
  ConvolutionDimensionNumbers numbers;
  for (int i = 0; i < num_spatial_dims; ++i) numbers.input_spatial_dimensions.push(2 + i);
  numbers.input_feature_dimension = numbers.output_feature_dimension = numbers.kernel_input_feature_dimension = 1;
  numbers.kernel_spatial_dimensions = numbers.output_spatial_dimensions = numbers.input_spatial_dimensions;
  return numbers;
}
constexpr XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, const ints& window_strides, const ints_table& padding,
                                       std::int64_t feature_group_count = 1, std::int64_t batch_group_count = 1) {
  return ConvGeneral(lhs, rhs, window_strides, padding, CreateDefaultConvDimensionNumbers(lhs.type().rank() - 2),
                     feature_group_count, batch_group_count);
}
constexpr XlaOp Conv(XlaOp lhs, XlaOp rhs, const ints& window_strides, Padding padding,
                     std::int64_t feature_group_count = 1, std::int64_t batch_group_count = 1) {
  return ConvWithGeneralDimensions(lhs, rhs, window_strides, padding,
                                   CreateDefaultConvDimensionNumbers(lhs.type().rank() - 2), feature_group_count,
                                   batch_group_count);
}
constexpr XlaOp Cholesky(XlaOp a, bool lower) { return detail::record(ops::cholesky{lower}, a); }

}  // namespace tenon::xla
