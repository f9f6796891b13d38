// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/packing.hpp>
#include <tenon/ops/contraction/precision.hpp>
#include <tenon/ops/contraction/product_rules.hpp>
#include <tenon/ops/contraction/widened_images.hpp>
#include <tenon/ops/rule_labels.hpp>
#include <tenon/ops/tensor_op.hpp>
#include <tenon/ops/window.hpp>

#include <algorithm>

namespace tenon {

// Which dimension of the operands and of the result is what.
struct convolution_dimension_numbers {
  index_t input_batch_dimension = 0;
  index_t input_feature_dimension = 0;
  ints input_spatial_dimensions{};
  index_t kernel_input_feature_dimension = 0;
  index_t kernel_output_feature_dimension = 0;
  ints kernel_spatial_dimensions{};
  index_t output_batch_dimension = 0;
  index_t output_feature_dimension = 0;
  ints output_spatial_dimensions{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("input_batch_dimension", self.input_batch_dimension) &&
           visit("input_feature_dimension", self.input_feature_dimension) &&
           visit("input_spatial_dimensions", self.input_spatial_dimensions) &&
           visit("kernel_input_feature_dimension", self.kernel_input_feature_dimension) &&
           visit("kernel_output_feature_dimension", self.kernel_output_feature_dimension) &&
           visit("kernel_spatial_dimensions", self.kernel_spatial_dimensions) &&
           visit("output_batch_dimension", self.output_batch_dimension) &&
           visit("output_feature_dimension", self.output_feature_dimension) &&
           visit("output_spatial_dimensions", self.output_spatial_dimensions);
  }
};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#convolution
struct convolution {
  static constexpr std::string_view name = "convolution";
  static constexpr op_notation notation = op_notation::convolution;
  static constexpr bool dequantizes = true;
  static constexpr int least_range = 1;
  // Weights are packed; what they meet is read in place, row by row, and under several of them.
  static constexpr unsigned strided_operands = 0b10, strided_rows = 0b01;
  ints window_strides{};   // absent: 1
  ints_table padding{};    // [low, high] per spatial dimension; absent: none
  ints lhs_dilation{};     // absent: 1
  ints rhs_dilation{};     // absent: 1
  ints window_reversal{};  // 1 for true; absent: false
  convolution_dimension_numbers dimension_numbers{};
  index_t feature_group_count = 1, batch_group_count = 1;
  precision_list precision_config{};  // absent: DEFAULT

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("window_strides", self.window_strides) && visit("padding", self.padding) &&
           visit("lhs_dilation", self.lhs_dilation) && visit("rhs_dilation", self.rhs_dilation) &&
           visit("window_reversal", self.window_reversal) && visit("dimension_numbers", self.dimension_numbers) &&
           visit("feature_group_count", self.feature_group_count) &&
           visit("batch_group_count", self.batch_group_count) && visit("precision_config", self.precision_config);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) const {
    return infer_as(rule_labels::of<convolution>(), rule, lhs, rhs, true);
  }

  // The rules under these labels. Where the padding is not known, the result is what is declared.
  constexpr tensor_type infer_as(const rule_labels& labels, rules& rule, const tensor_type& lhs, const tensor_type& rhs,
                                 bool padding_is_known) const {
    const auto constraint = [&](int number) { return labels.constraint(number); };
    const convolution_dimension_numbers& numbers = dimension_numbers;
    const int rank = lhs.rank(), spatial = rank - 2;
    const index_t batch = lhs.dim(numbers.input_batch_dimension), features = lhs.dim(numbers.input_feature_dimension);
    const index_t output_features = rhs.dim(numbers.kernel_output_feature_dimension);
    rule(labels.input(1), "lhs: tensor or per-tensor quantized tensor",
         rule.is(lhs, kinds::any | kinds::per_tensor_quantized));
    rule(labels.input(2), "rhs: tensor or quantized tensor", rule.is(rhs, kinds::any | kinds::quantized));
    rule(constraint(1), "N = rank(lhs) = rank(rhs)", rank == rhs.rank());
    rule(constraint(1), "2 <= N", rank >= 2);
    rule(constraint(2), "size(window_strides) = N - 2", fits(window_strides, spatial));
    rule(constraint(3), "0 < window_strides", window_strides.positive());
    rule(constraint(4), "shape(padding) = [N - 2, 2]",
         padding.empty() || (padding.rows == spatial && padding.columns == 2 && padding.dropped == 0));
    rule(constraint(5), "size(lhs_dilation) = N - 2", fits(lhs_dilation, spatial));
    rule(constraint(6), "0 < lhs_dilation", lhs_dilation.positive());
    rule(constraint(7), "size(rhs_dilation) = N - 2", fits(rhs_dilation, spatial));
    rule(constraint(8), "0 < rhs_dilation", rhs_dilation.positive());
    rule(constraint(9), "size(window_reversal) = N - 2", fits(window_reversal, spatial));
    rule(constraint(21), "0 < feature_group_count", 0 < feature_group_count);
    rule(constraint(22), "0 < batch_group_count", 0 < batch_group_count);
    rule(constraint(23), "feature_group_count = 1 or batch_group_count = 1",
         feature_group_count == 1 || batch_group_count == 1);
    rule(constraint(12), "size(input_spatial_dimensions) = N - 2", has_size(numbers.input_spatial_dimensions, spatial));
    rule(constraint(13), "input dimensions are unique and within [0, N)",
         is_permutation(numbers.input_batch_dimension, numbers.input_spatial_dimensions,
                        numbers.input_feature_dimension, rank));
    rule(constraint(17), "size(kernel_spatial_dimensions) = N - 2",
         has_size(numbers.kernel_spatial_dimensions, spatial));
    rule(constraint(18), "kernel dimensions are unique and within [0, N)",
         is_permutation(numbers.kernel_input_feature_dimension, numbers.kernel_spatial_dimensions,
                        numbers.kernel_output_feature_dimension, rank));
    rule(constraint(19), "size(output_spatial_dimensions) = N - 2",
         has_size(numbers.output_spatial_dimensions, spatial));
    rule(constraint(20), "output dimensions are unique and within [0, N)",
         is_permutation(numbers.output_batch_dimension, numbers.output_spatial_dimensions,
                        numbers.output_feature_dimension, rank));
    rule(constraint(10), "dim(lhs, input_batch_dimension) % batch_group_count = 0", divides(batch_group_count, batch));
    rule(constraint(11), "dim(lhs, input_feature_dimension) % feature_group_count = 0",
         divides(feature_group_count, features));
    rule(constraint(14),
         "dim(rhs, kernel_input_feature_dimension) = dim(lhs, input_feature_dimension) / feature_group_count",
         feature_group_count > 0 && rhs.dim(numbers.kernel_input_feature_dimension) == features / feature_group_count);
    rule(constraint(15), "dim(rhs, kernel_output_feature_dimension) % batch_group_count = 0",
         divides(batch_group_count, output_features));
    rule(constraint(16), "dim(rhs, kernel_output_feature_dimension) % feature_group_count = 0",
         divides(feature_group_count, output_features));
    rule(constraint(24), "size(precision_config) = 2", is_complete(precision_config));

    constexpr const char* shape_rule =
        "shape(result) = dim(lhs, input_batch_dimension) / batch_group_count, num_windows..., dim(rhs, "
        "kernel_output_feature_dimension) at the output dimensions";
    ints shape = ints::filled(rank, 0);
    shape.set(numbers.output_batch_dimension, batch_group_count > 0 ? batch / batch_group_count : 0);
    shape.set(numbers.output_feature_dimension, output_features);
    const ints windows = window(rhs.shape).count(lhs.shape.select(numbers.input_spatial_dimensions));
    for (int i = 0; i < windows.size; ++i)
      shape.set(numbers.output_spatial_dimensions[i],
                padding_is_known ? windows[i] : rule.declared[0].dim(numbers.output_spatial_dimensions[i]));
    rule(constraint(26), "rank(result) = N",
         rule.declared.empty() || has_open_shape(rule.declared[0]) || rule.declared[0].rank() == rank);
    check_product_shape(rule, constraint(25), shape_rule, shape);
    const tensor_type result = product_type(rule, lhs, shape);
    if (is_quantized_product(lhs, rhs, result)) {
      const quantization of_rhs = rule.quantization_of(rhs), of_result = rule.quantization_of(result);
      check_quantized_product(rule, {constraint(28), constraint(31), constraint(32), constraint(33), constraint(34)},
                              lhs, rhs, result);
      rule(constraint(29),
           "if is_per_axis_quantized(rhs), then quantization_dimension(rhs) = kernel_output_feature_dimension",
           !of_rhs.per_axis() || of_rhs.dimension == numbers.kernel_output_feature_dimension);
      rule(constraint(30),
           "if is_per_axis_quantized(result), then quantization_dimension(result) = output_feature_dimension",
           !of_result.per_axis() || of_result.dimension == numbers.output_feature_dimension);
    } else {
      // StableHLO's verifier also takes a result that the operands can be promoted to.
      rule(constraint(27), "element_type(lhs) = element_type(rhs) = element_type(result)",
           lhs.element == rhs.element && is_promotable(lhs.element, result.element));
    }
    return result;
  }

  constexpr window_attributes window(const ints& rhs_shape) const {
    return {rhs_shape.select(dimension_numbers.kernel_spatial_dimensions), window_strides, lhs_dilation, rhs_dilation,
            padding};
  }

  constexpr indexing::indexing_map reads(int operand, list<tensor_type> operands, const tensor_type& result) const {
    return reads_padded(operand, operands, result, false);
  }
  // The padding as written, or as runtime variables.
  constexpr indexing::indexing_map reads_padded(int operand, list<tensor_type> operands, const tensor_type& result,
                                                bool padding_at_run_time) const {
    const ints &lhs = operands.data[0].shape, &rhs = operands.data[1].shape;
    const convolution_dimension_numbers& from = dimension_numbers;
    indexing::convolution_numbers numbers;
    numbers.padding_at_run_time = padding_at_run_time;
    for (int i = 0; i < from.input_spatial_dimensions.size; ++i) {
      const window_axis axis = window(rhs).axis(lhs.select(from.input_spatial_dimensions), i);
      numbers.window_strides.push(axis.stride);
      numbers.padding_low.push(padding_at_run_time ? 0 : axis.low);
      numbers.lhs_dilation.push(axis.base_dilation);
      numbers.rhs_dilation.push(axis.window_dilation);
      numbers.reversed_windows.push(window_reversal[i]);
    }
    numbers.input_batch_dimension = from.input_batch_dimension;
    numbers.input_feature_dimension = from.input_feature_dimension;
    numbers.input_spatial_dimensions = from.input_spatial_dimensions;
    numbers.kernel_input_feature_dimension = from.kernel_input_feature_dimension;
    numbers.kernel_output_feature_dimension = from.kernel_output_feature_dimension;
    numbers.kernel_spatial_dimensions = from.kernel_spatial_dimensions;
    numbers.output_batch_dimension = from.output_batch_dimension;
    numbers.output_feature_dimension = from.output_feature_dimension;
    numbers.output_spatial_dimensions = from.output_spatial_dimensions;
    numbers.feature_group_count = feature_group_count;
    numbers.batch_group_count = batch_group_count;
    return operand == 0 ? indexing::convolution_lhs_map(result.shape, lhs, rhs, numbers)
                        : indexing::convolution_rhs_map(result.shape, rhs, numbers);
  }

  // The elements of a pixel, if these lie one behind the other; 0: an epilogue has to wait for all of them.
  constexpr index_t epilogue_unit(list<tensor_type> operands, const tensor_type& result) const {
    const convolution_dimension_numbers& n = dimension_numbers;
    const ints order = ints{n.output_batch_dimension} + n.output_spatial_dimensions + ints{n.output_feature_dimension};
    const bool gives_pixels = order.sorted() && operands[0].size() > 0 && operands[1].size() > 0;
    return gives_pixels && product_dimensions::works_in_place(operands[0].element, result.element)
               ? result.dim(n.output_feature_dimension)
               : 0;
  }
  // For the kernel, which copies a part of an operand at a time.
  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type> results) const {
    const tensor_type lhs = operands[0], rhs = operands[1];
    const dtype lane = product_dimensions::lane_type(lhs.element, results[0].element);
    if (lane == dtype::none || is_complex(lhs.element) || rhs.size() == 0) return 0;
    if (product_dimensions::works_in_place(lhs.element, results[0].element))
      return 2 * rhs.size() / rhs.dim(dimension_numbers.kernel_output_feature_dimension);
    return packing_bytes(lhs, rhs, results[0], lane) + widened(lhs, rhs, results[0]).bytes();
  }
  constexpr index_t packing_bytes(const tensor_type& lhs, const tensor_type& rhs, const tensor_type& result,
                                  dtype lane) const {
    const convolution_dimension_numbers& n = dimension_numbers;
    const index_t outputs = rhs.dim(n.kernel_output_feature_dimension), bytes = storage_bytes(lane);
    index_t line = bytes;
    for (int d = 0; d < n.output_spatial_dimensions.size; ++d)
      line *= window(rhs.shape)
                  .axis(lhs.shape.select(n.input_spatial_dimensions), d)
                  .most_copied(d == 0 ? 1 : result.dim(n.output_spatial_dimensions[d]));
    if (n.output_feature_dimension + 1 != lhs.rank())
      line = std::max(line, std::min(4 * lhs.size() * bytes, packing::block_planes));
    return std::max(packing::convolution(outputs, outputs > 0 ? rhs.size() / outputs : 0, bytes),
                    line + 3 * packing::vector_bytes + packing::planes_tail);
  }
  constexpr widened_images widened(const tensor_type& lhs, const tensor_type& rhs, const tensor_type& result) const {
    const convolution_dimension_numbers& n = dimension_numbers;
    const bool lies_apart = batch_group_count == 1 && n.input_batch_dimension == 0 && n.output_batch_dimension == 0;
    const bool has_rows = lies_apart && n.output_spatial_dimensions.size > 0 && n.output_spatial_dimensions[0] == 1;
    return {lhs,
            rhs,
            result,
            result.dim(n.output_batch_dimension),
            result.dim(n.output_feature_dimension),
            lies_apart,
            has_rows ? result.dim(1) : 1,
            has_rows ? window(rhs.shape).axis(lhs.shape.select(n.input_spatial_dimensions), 0) : window_axis{}};
  }

  constexpr const convolution& padded(const evaluation&) const { return *this; }

  // Sums up from 0 in row-major order of the places in the window, then of the input features. Floats narrower than f32
  // are summed in f32, and everything in the result's element type if that is wider.
  template <class T>
  void evaluate(const evaluation& e) const {
    with_accumulator<T>(e.result_types[0].element, [&]<class A>() { sum_up<T, A>(e); });
  }

 private:
  static constexpr bool has_size(const ints& values, int size) { return values.size == size && values.dropped == 0; }
  static constexpr bool fits(const ints& values, int size) { return values.empty() || has_size(values, size); }
  static constexpr bool divides(index_t divisor, index_t number) { return divisor > 0 && number % divisor == 0; }
  static constexpr bool is_permutation(index_t first, const ints& spatial, index_t last, int rank) {
    const ints dimensions = ints{first, last} + spatial;
    return dimensions.unique() && dimensions.within(0, rank);
  }

  template <class T, class A>
  void sum_up(const evaluation& e) const {
    const convolution_dimension_numbers& numbers = dimension_numbers;
    const ints &lhs_shape = e.operand_types.data[0].shape, &rhs_shape = e.operand_types.data[1].shape;
    const ints &result_shape = e.result_types.data[0].shape, kernel = window(rhs_shape).dimensions;
    const ints lhs_strides = e.strides_of_operand(0), rhs_strides = e.strides_of_operand(1);
    const index_t features = rhs_shape[numbers.kernel_input_feature_dimension];
    const index_t lhs_step = lhs_strides[numbers.input_feature_dimension];
    const index_t rhs_step = rhs_strides[numbers.kernel_input_feature_dimension];
    const index_t rhs_output = rhs_strides[numbers.kernel_output_feature_dimension];
    const int feature_axis = int(numbers.output_feature_dimension);
    const index_t output_features = result_shape[feature_axis];
    const index_t features_per_batch_group = output_features / batch_group_count;
    const index_t features_per_feature_group = output_features / feature_group_count;
    const index_t batch = result_shape[numbers.output_batch_dimension];
    if (output_features == 0) return;
    window_axis axes[max_rank];
    for (int i = 0; i < kernel.size; ++i)
      axes[i] = window(rhs_shape).axis(lhs_shape.select(numbers.input_spatial_dimensions), i);
    const ints lhs_spatial = lhs_strides.select(numbers.input_spatial_dimensions);
    const ints rhs_spatial = rhs_strides.select(numbers.kernel_spatial_dimensions);

    const T* const lhs = e.operand<T>(0);
    const T* const rhs = e.operand<T>(1);
    index_t position = 0;
    for_each_index(result_shape, [&](const ints& index) {
      const index_t feature = index[feature_axis];
      const index_t batch_index = index[numbers.output_batch_dimension] + feature / features_per_batch_group * batch;
      const index_t first_feature = feature / features_per_feature_group * features;
      const ints output = index.select(numbers.output_spatial_dimensions);
      const index_t from = batch_index * lhs_strides[numbers.input_batch_dimension] + first_feature * lhs_step;
      A sum{};
      for_each_index(kernel, [&](const ints& place) {
        index_t value_at = from, weight_at = feature * rhs_output;
        for (int i = 0; i < kernel.size; ++i) {
          const index_t at = axes[i].position(output.at[i], place.at[i]);
          if (at < 0) return;
          value_at += at * lhs_spatial.at[i];
          weight_at += (window_reversal[i] != 0 ? kernel.at[i] - 1 - place.at[i] : place.at[i]) * rhs_spatial.at[i];
        }
        for (index_t i = 0; i < features; ++i)
          sum = multiply_add(convert_to<A>(lhs[value_at + i * lhs_step]), convert_to<A>(rhs[weight_at + i * rhs_step]),
                             sum);
      });
      store_sum(e.result_types.data[0].element, e.results.data[0], position++, sum);
    });
  }
};

}  // namespace tenon::ops

namespace tenon {

// convolution<ops::convolution{.window_strides = ints{2, 2}, .dimension_numbers = {...}}>(lhs, rhs): sums of products
// of a window of lhs with the kernel rhs; dimension_numbers say which axes are batch, features and space. Any element
// type, the same for both, which the result has. `conv2d` has images of NumPy's order.
template <ops::convolution Op, operand_like Lhs, operand_like Rhs>
constexpr auto convolution(Lhs&& lhs, Rhs&& rhs, op_check<Op, result_types<>, Lhs, Rhs> = {}) {
  return apply<Op>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}

}  // namespace tenon
