// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/movement.hpp>

namespace tenon::xla {

enum class Padding { kSame, kValid };

struct PrecisionConfig {
  using enum precision;
  precision_list operand_precision{};

  constexpr PrecisionConfig() = default;
  constexpr PrecisionConfig(const PrecisionConfig* config) {
    if (config != nullptr) *this = *config;
  }
  constexpr void add_operand_precision(precision value) { operand_precision.push(value); }
};

struct DotDimensionNumbers {
  ints lhs_contracting_dimensions{}, rhs_contracting_dimensions{}, lhs_batch_dimensions{}, rhs_batch_dimensions{};

  constexpr void add_lhs_contracting_dimensions(index_t value) { lhs_contracting_dimensions.push(value); }
  constexpr void add_rhs_contracting_dimensions(index_t value) { rhs_contracting_dimensions.push(value); }
  constexpr void add_lhs_batch_dimensions(index_t value) { lhs_batch_dimensions.push(value); }
  constexpr void add_rhs_batch_dimensions(index_t value) { rhs_batch_dimensions.push(value); }
};
struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot_dimension_numbers{};
  ints lhs_ragged_dimensions{}, rhs_group_dimensions{};

  constexpr DotDimensionNumbers* mutable_dot_dimension_numbers() { return &dot_dimension_numbers; }
  constexpr void add_lhs_ragged_dimensions(index_t value) { lhs_ragged_dimensions.push(value); }
  constexpr void add_rhs_group_dimensions(index_t value) { rhs_group_dimensions.push(value); }
};
struct ConvolutionDimensionNumbers : convolution_dimension_numbers {
  constexpr void set_input_batch_dimension(index_t value) { input_batch_dimension = value; }
  constexpr void set_input_feature_dimension(index_t value) { input_feature_dimension = value; }
  constexpr void add_input_spatial_dimensions(index_t value) { input_spatial_dimensions.push(value); }
  constexpr void set_kernel_input_feature_dimension(index_t value) { kernel_input_feature_dimension = value; }
  constexpr void set_kernel_output_feature_dimension(index_t value) { kernel_output_feature_dimension = value; }
  constexpr void add_kernel_spatial_dimensions(index_t value) { kernel_spatial_dimensions.push(value); }
  constexpr void set_output_batch_dimension(index_t value) { output_batch_dimension = value; }
  constexpr void set_output_feature_dimension(index_t value) { output_feature_dimension = value; }
  constexpr void add_output_spatial_dimensions(index_t value) { output_spatial_dimensions.push(value); }
};

using FftType = fft_type;
struct TriangularSolveOptions {
  using Transpose = transpose_a_kind;
  using enum transpose_a_kind;
};

// Batch, feature, then spatial dimensions; in the kernel output feature, input feature, then spatial dimensions.
constexpr ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2) {
  ConvolutionDimensionNumbers numbers;
  for (int i = 0; i < num_spatial_dims; ++i) numbers.input_spatial_dimensions.push(2 + i);
  numbers.input_feature_dimension = numbers.output_feature_dimension = numbers.kernel_input_feature_dimension = 1;
  numbers.kernel_spatial_dimensions = numbers.output_spatial_dimensions = numbers.input_spatial_dimensions;
  return numbers;
}

namespace detail {

// The declared type of a product: its shape follows.
constexpr std::vector<tensor_type> preferred(const std::optional<PrimitiveType>& element) {
  if (!element) return {};
  return {with_open_shape(*element)};
}

struct dot_general_function {
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const DotDimensionNumbers& dimension_numbers,
                             const PrecisionConfig& precision_config = {},
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt) const {
    return record(ops::dot_general{.dot_dimension_numbers = {dimension_numbers.lhs_batch_dimensions,
                                                             dimension_numbers.rhs_batch_dimensions,
                                                             dimension_numbers.lhs_contracting_dimensions,
                                                             dimension_numbers.rhs_contracting_dimensions},
                                   .precision_config = precision_config.operand_precision,
                                   .algorithm = {}},
                  {lhs, rhs}, preferred(preferred_element_type));
  }
};
// Vectors and matrices.
struct dot_function {
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const PrecisionConfig& precision_config = {},
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt) const {
    const int rank = lhs.type().rank();
    recorder& r = recorder_of({lhs, rhs});
    if (!r.check("xla_dot", "lhs and rhs have 1 or 2 dimensions",
                 1 <= rank && rank <= 2 && 1 <= rhs.type().rank() && rhs.type().rank() <= 2, {lhs, rhs}))
      return r.nothing();
    return dot_general_function{}(lhs, rhs,
                                  {.lhs_contracting_dimensions = {rank - 1}, .rhs_contracting_dimensions = {0}},
                                  precision_config, preferred_element_type);
  }
};
// A scale is for one element, or for a block of neighbours. The product is of f32 unless another type is preferred.
struct scaled_dot_function {
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& lhs_scale, const XlaOp& rhs, const XlaOp& rhs_scale,
                             const DotDimensionNumbers& dimension_number, const PrecisionConfig& precision_config = {},
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt) const {
    const PrimitiveType wide = lhs.type().element == F64 ? F64 : F32;
    const XlaOp product = dot_general_function{}(scaled(lhs, lhs_scale, wide), scaled(rhs, rhs_scale, wide),
                                                 dimension_number, precision_config);
    return convert_function{}(product, preferred_element_type.value_or(wide));
  }

 private:
  static constexpr XlaOp scaled(const XlaOp& operand, const XlaOp& scale, PrimitiveType wide) {
    const ints shape = operand.type().shape, blocks = scale.type().shape;
    ints apart, kept;
    bool fits = blocks.size == shape.size && 2 * shape.size <= max_rank;
    for (int i = 0; i < shape.size; ++i) {
      fits = fits && blocks[i] > 0 && shape[i] % blocks[i] == 0;
      kept.push(apart.size);
      apart.push(blocks[i]), apart.push(fits ? shape[i] / blocks[i] : 1);
    }
    recorder& r = recorder_of({operand, scale});
    if (!r.check("xla_scaled_dot", "a scale is for blocks of one size, of at most 4 dimensions", fits,
                 {operand, scale}))
      return r.nothing();
    const XlaOp whole =
        reshape_function{}(broadcast_in_dim_function{}(convert_function{}(scale, wide), apart, kept), shape);
    return binary<ops::multiply{}>{}(convert_function{}(operand, wide), whole);
  }
};
struct ragged_dot_function {
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const XlaOp& group_sizes,
                             const RaggedDotDimensionNumbers& numbers, const PrecisionConfig& precision_config = {},
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt) const {
    const DotDimensionNumbers& dot = numbers.dot_dimension_numbers;
    return record(
        ops::ragged_dot{{dot.lhs_batch_dimensions, dot.rhs_batch_dimensions, dot.lhs_contracting_dimensions,
                         dot.rhs_contracting_dimensions, numbers.lhs_ragged_dimensions, numbers.rhs_group_dimensions},
                        precision_config.operand_precision},
        {lhs, rhs, group_sizes}, preferred(preferred_element_type));
  }
};

// The sizes of a Padding for windows of these sizes.
constexpr ints_table padding_of(Padding padding, const ints& sizes, const ints& window, const ints& strides) {
  ints_table result;
  for (int i = 0; i < window.size; ++i) {
    const index_t stride = strides.empty() ? 1 : strides[i];
    index_t total = 0;
    if (padding == Padding::kSame && stride > 0 && window[i] > 0)
      total = window[i] - (sizes[i] % stride == 0 ? stride : sizes[i] % stride);
    if (total < 0) total = 0;
    result.push({total / 2, total - total / 2});
  }
  return result;
}
// The size once there are holes between the elements.
constexpr ints dilated(ints sizes, const ints& dilation) {
  for (int i = 0; i < dilation.size; ++i) {
    const index_t apart = sizes[i] > 0 ? ints{sizes[i] - 1, dilation[i]}.product() : -1;
    sizes.set(i, apart < INT64_MAX ? apart + 1 : apart);
  }
  return sizes;
}

struct conv_general_dilated_function {
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const Int64Span& window_strides,
                             const PaddingPairs& padding, const Int64Span& lhs_dilation, const Int64Span& rhs_dilation,
                             const ConvolutionDimensionNumbers& dimension_numbers, std::int64_t feature_group_count = 1,
                             std::int64_t batch_group_count = 1, const PrecisionConfig& precision_config = {},
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                             const Int64Span& window_reversal = {}) const {
    ops::convolution op;
    op.window_strides = window_strides, op.padding = padding;
    op.lhs_dilation = lhs_dilation, op.rhs_dilation = rhs_dilation, op.window_reversal = window_reversal;
    op.dimension_numbers = dimension_numbers;
    op.feature_group_count = feature_group_count, op.batch_group_count = batch_group_count;
    op.precision_config = precision_config.operand_precision;
    return record(op, {lhs, rhs}, preferred(preferred_element_type));
  }
};
struct conv_general_function {
  template <class... Rest>
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const Int64Span& window_strides,
                             const PaddingPairs& padding, const ConvolutionDimensionNumbers& dimension_numbers,
                             const Rest&... rest) const {
    return conv_general_dilated_function{}(lhs, rhs, window_strides, padding, {}, {}, dimension_numbers, rest...);
  }
};
struct conv_with_general_dimensions_function {
  template <class... Rest>
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const Int64Span& window_strides, Padding padding,
                             const ConvolutionDimensionNumbers& numbers, const Rest&... rest) const {
    const ints sizes = lhs.type().shape.select(numbers.input_spatial_dimensions);
    const ints window = rhs.type().shape.select(numbers.kernel_spatial_dimensions);
    return conv_general_function{}(lhs, rhs, window_strides, padding_of(padding, sizes, window, window_strides),
                                   numbers, rest...);
  }
};
struct conv_with_general_padding_function {
  template <class... Rest>
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const Int64Span& window_strides,
                             const PaddingPairs& padding, const Rest&... rest) const {
    return conv_general_function{}(lhs, rhs, window_strides, padding,
                                   CreateDefaultConvDimensionNumbers(lhs.type().rank() - 2), rest...);
  }
};
struct conv_function {
  template <class... Rest>
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const Int64Span& window_strides, Padding padding,
                             const Rest&... rest) const {
    return conv_with_general_dimensions_function{}(lhs, rhs, window_strides, padding,
                                                   CreateDefaultConvDimensionNumbers(lhs.type().rank() - 2), rest...);
  }
};

struct cholesky_function {
  constexpr XlaOp operator()(const XlaOp& a, bool lower) const { return record(ops::cholesky{lower}, {a}); }
};
struct triangular_solve_function {
  constexpr XlaOp operator()(const XlaOp& a, const XlaOp& b, bool left_side, bool lower, bool unit_diagonal,
                             transpose_a_kind transpose_a) const {
    return record(ops::triangular_solve{left_side, lower, unit_diagonal, transpose_a}, {a, b});
  }
};
struct fft_function {
  constexpr XlaOp operator()(const XlaOp& operand, FftType type, const Int64Span& fft_length) const {
    return record(ops::fft{type, fft_length}, {operand});
  }
};

}  // namespace detail

inline constexpr detail::dot_general_function DotGeneral;
inline constexpr detail::dot_function Dot;
inline constexpr detail::scaled_dot_function ScaledDot;
inline constexpr detail::ragged_dot_function RaggedDot;
inline constexpr detail::conv_general_dilated_function ConvGeneralDilated;
inline constexpr detail::conv_general_function ConvGeneral;
inline constexpr detail::conv_with_general_dimensions_function ConvWithGeneralDimensions;
inline constexpr detail::conv_with_general_padding_function ConvWithGeneralPadding;
inline constexpr detail::conv_function Conv;
inline constexpr detail::cholesky_function Cholesky;
inline constexpr detail::triangular_solve_function TriangularSolve;
inline constexpr detail::fft_function Fft;

}  // namespace tenon::xla
