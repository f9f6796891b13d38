// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/bounded/sizes.hpp>
#include <tenon/ops/contraction/einsum_plan.hpp>

namespace tenon::passes {

// Ops that sum products along a dimension, and those on matrices and lines.
class sized_products : public size_keeper {
 public:
  using size_keeper::size_keeper;

  constexpr bool rewrite(const ops::dot&) { return rewrite_product({}, {}, {operand_type(0).rank() - 1}, {0}); }
  constexpr bool rewrite(const ops::dot_general& op) {
    const dot_dimension_numbers& numbers = op.dot_dimension_numbers;
    return rewrite_product(numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions,
                           numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions);
  }
  constexpr bool rewrite(const ops::einsum& op) { return rewrite_einsum(op.einsum_config); }
  constexpr bool rewrite(const ops::unary_einsum& op) { return rewrite_einsum(op.einsum_config); }

  constexpr bool rewrite_product(const ints& lhs_batching, const ints& rhs_batching, const ints& lhs_contracting,
                                 const ints& rhs_contracting) {
    const int lhs_rank = operand_type(0).rank(), rhs_rank = operand_type(1).rank();
    dimension_sizes sizes;
    int d = 0;
    for (int k = 0; k < lhs_batching.size; ++k)
      sizes.at[d++] = agree(code(0, int(lhs_batching[k])), code(1, int(rhs_batching[k])), int(lhs_batching[k]),
                            operand_type(0).dim(lhs_batching[k]));
    for (index_t k : ints::range(lhs_rank).without(lhs_batching + lhs_contracting)) sizes.at[d++] = code(0, int(k));
    for (index_t k : ints::range(rhs_rank).without(rhs_batching + rhs_contracting)) sizes.at[d++] = code(1, int(k));
    const int values[] = {without_summed_padding(0, lhs_contracting, 1, rhs_contracting),
                          without_summed_padding(1, rhs_contracting, 0, lhs_contracting)};
    return give_each(write_again({values, 2}), sizes);
  }
  // Operand i with zeros behind the dimensions that are summed over in step with those of operand j.
  constexpr int without_summed_padding(int i, const ints& dimensions, int j, const ints& others) {
    dimension_sizes sizes;
    for (int k = 0; k < dimensions.size; ++k) {
      const int d = int(dimensions[k]);
      sizes.at[d] = agree(code(i, d), code(j, int(others[k])), d, operand_type(i).dim(d));
    }
    return without_padding(i, sizes);
  }
  // Operand i with zeros behind these sizes.
  constexpr int without_padding(int i, const dimension_sizes& sizes) {
    const int mask = mask_within(operand_type(i).shape, sizes);
    return mask < 0 ? operand(i) : keep(mask, operand(i), zero_like(operand(i)));
  }

  // Groups that are padding are empty.
  constexpr bool rewrite(const ops::ragged_dot& op) {
    const ragged_dot_dimension_numbers& numbers = op.ragged_dot_dimension_numbers;
    const int lhs_rank = operand_type(0).rank(), last = operand_type(2).rank() - 1;
    dimension_sizes sizes, of_groups = sizes_of(2);
    int d = 0;
    if (!numbers.rhs_group_dimensions.empty()) {
      const int along = int(numbers.rhs_group_dimensions[0]);
      of_groups.at[last] = agree(of_groups.at[last], code(1, along), along, operand_type(1).dim(along));
    }
    const ints sized = numbers.sized_dimensions(lhs_rank);
    for (int k = 0; k < last; ++k)
      of_groups.at[k] = agree(of_groups.at[k], code(0, int(sized[k])), int(sized[k]), operand_type(2).dim(k));
    if (numbers.is_ragged_contracting()) sizes.at[d++] = of_groups.at[last];
    for (int k = 0; k < numbers.lhs_batching_dimensions.size; ++k) {
      const int along = int(numbers.lhs_batching_dimensions[k]);
      sizes.at[d++] =
          agree(code(0, along), code(1, int(numbers.rhs_batching_dimensions[k])), along, operand_type(0).dim(along));
    }
    for (index_t k : numbers.lhs_result_dimensions(lhs_rank)) sizes.at[d++] = code(0, int(k));
    for (index_t k : numbers.rhs_result_dimensions(operand_type(1).rank())) sizes.at[d++] = code(1, int(k));
    const int values[] = {
        without_summed_padding(0, numbers.lhs_contracting_dimensions, 1, numbers.rhs_contracting_dimensions),
        without_summed_padding(1, numbers.rhs_contracting_dimensions, 0, numbers.lhs_contracting_dimensions),
        without_padding(2, of_groups)};
    return give_each(write_again({values, 3}), sizes);
  }

  // The indices of an einsum: their bounds, and their sizes. A dimension of one element that stands for all of the
  // other operand's says nothing of these.
  struct einsum_indices {
    static constexpr int most = ops::einsum_plan::most_indices;
    index_t bounds[most]{};
    int sizes[most]{};
    ints of[2];  // by dimension of each operand

    constexpr bool spans(int i, int d, const ints& shape) const { return shape[d] == bounds[of[i][d]]; }
  };
  constexpr einsum_indices indices_of(const ops::einsum_plan& plan) {
    einsum_indices all;
    for (int& each : all.sizes) each = dimension_size::unset;
    for (index_t& each : all.bounds) each = 1;
    for (int i = 0; i < node_.operand_count; ++i) {
      const ints& shape = operand_type(i).shape;
      all.of[i] = plan.operands[i].indices;
      for (int d = 0; d < shape.size; ++d)
        if (index_t& bound = all.bounds[all.of[i][d]]; bound == 1) bound = shape[d];
    }
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < operand_type(i).rank(); ++d) {
        int& size = all.sizes[all.of[i][d]];
        if (all.spans(i, d, operand_type(i).shape))
          size = agree(size, code(i, d), d, operand_type(i).dim(d));
        else
          exactly(code(i, d), d, 1);
      }
    return all;
  }

  constexpr bool rewrite_einsum(name_id config) {
    ints shapes[2];
    for (int i = 0; i < node_.operand_count; ++i) shapes[i] = operand_type(i).shape;
    const ops::einsum_plan plan(from_.name_of(config.id), shapes, node_.operand_count);
    if (!plan.valid) return refuse(-1, "einsum_config is not known");
    const einsum_indices all = indices_of(plan);
    ints summed;
    for (int k = 0; k < einsum_indices::most; ++k)
      if (all.sizes[k] >= 0 && !plan.result_indices.contains(k)) summed.push(k);
    dimension_sizes sizes;
    for (int d = 0; d < plan.result_indices.size; ++d) sizes.at[d] = all.sizes[plan.result_indices[d]];
    bool complete = true;
    operand_list values;
    for (int i = 0; i < node_.operand_count; ++i) {
      dimension_sizes here;
      ints spanned;
      for (int d = 0; d < shapes[i].size; ++d) {
        if (!summed.contains(all.of[i][d]) || !all.spans(i, d, shapes[i])) continue;
        here.at[d] = all.sizes[all.of[i][d]];
        spanned.push(all.of[i][d]);
      }
      for (index_t k : summed) complete = complete && spanned.contains(k);
      values.push(without_padding(i, here));
    }
    if (complete) return give_each(write_again(values), sizes);
    return give_spread_einsum(all, summed, plan.result_indices, values, sizes);
  }
  // Both operands get all dimensions that are summed over, for the padding of one not to be multiplied by what is
  // infinite in the other.
  constexpr bool give_spread_einsum(const einsum_indices& all, const ints& summed, const ints& result,
                                    operand_list& values, const dimension_sizes& sizes) {
    char text[3 * max_rank + 4]{};
    int length = 0;
    for (int i = 0; i < 2; ++i) {
      const ints indices = all.of[i] + missing_from(all.of[i], summed);
      if (indices.dropped > 0) return refuse(-1, "the op has too many dimensions");
      ints shape;
      dimension_sizes here;
      for (int d = 0; d < indices.size; ++d) {
        text[length++] = char('a' + indices[d]);
        shape.push(all.bounds[indices[d]]);
        if (summed.contains(indices[d])) here.at[d] = all.sizes[indices[d]];
      }
      text[length++] = i == 0 ? ',' : '-';
      const int value = broadcast(values.at[i], shape, ints::range(all.of[i].size));
      values.at[i] = keep(mask_within(shape, here), value, zero_like(value));
    }
    text[length++] = '>';
    for (index_t k : result) text[length++] = char('a' + k);
    const ops::einsum spread{{to_.intern_name({text, std::size_t(length)})}};
    return give_each(add_op(spread, values, static_result()), sizes);
  }
  static constexpr ints missing_from(const ints& some, const ints& wanted) {
    ints missing;
    for (index_t each : wanted)
      if (!some.contains(each)) missing.push(each);
    return missing;
  }

  // `windows_of(i)` gives the size of spatial dimension i of the result. Operands behind the second stay.
  template <class Op, class Windows>
  constexpr bool rewrite_convolution(const Op& op, Windows windows_of, bool always) {
    const convolution_dimension_numbers& numbers = op.dimension_numbers;
    const bool grouped = op.feature_group_count != 1 || op.batch_group_count != 1;
    const int batch = int(numbers.input_batch_dimension), feature = int(numbers.input_feature_dimension);
    const int kernel_input = int(numbers.kernel_input_feature_dimension);
    const int kernel_output = int(numbers.kernel_output_feature_dimension);
    if (is_dynamic(0, batch) && op.batch_group_count != 1) return refuse(batch);
    if (op.feature_group_count != 1 && is_dynamic(0, feature)) return refuse(feature);
    if (op.feature_group_count != 1 && is_dynamic(1, kernel_input)) return refuse(kernel_input);
    if (grouped && is_dynamic(1, kernel_output)) return refuse(kernel_output);
    for (index_t d : numbers.kernel_spatial_dimensions)
      if (is_dynamic(1, int(d))) return refuse(int(d));
    dimension_sizes sizes;
    sizes.at[numbers.output_batch_dimension] = code(0, batch);
    sizes.at[numbers.output_feature_dimension] = code(1, kernel_output);
    dimension_sizes of_lhs, of_rhs;
    of_lhs.at[feature] = of_rhs.at[kernel_input] =
        op.feature_group_count == 1
            ? agree(code(0, feature), code(1, kernel_input), feature, operand_type(0).dim(feature))
            : dimension_size::full;
    for (int i = 0; i < numbers.input_spatial_dimensions.size; ++i) {
      const int from = int(numbers.input_spatial_dimensions[i]), to = int(numbers.output_spatial_dimensions[i]);
      sizes.at[to] = dimension_size::full;
      of_lhs.at[from] = pinned(code(0, from));
      if (of_lhs.at[from] >= 0 || always) sizes.at[to] = resolved(windows_of(i), to, result_type(), always);
    }
    operand_list values = collected();
    values.at[0] = without_padding(0, of_lhs);
    values.at[1] = without_padding(1, of_rhs);
    if (always)
      values.at[2] = reshape(listed({paddings_, 2 * numbers.input_spatial_dimensions.size}, dtype::i64),
                             {numbers.input_spatial_dimensions.size, 2});
    return give_each(write_again(values), sizes);
  }
  int paddings_[2 * max_rank]{};

  // A spatial dimension without its padding.
  template <class Op>
  constexpr ops::window_axis axis_of(const Op& op, int i) const {
    const auto or_one = [&](const ints& values) { return values.empty() ? index_t{1} : values[i]; };
    ops::window_axis axis;
    axis.size = operand_type(0).dim(op.dimension_numbers.input_spatial_dimensions[i]);
    axis.window = operand_type(1).dim(op.dimension_numbers.kernel_spatial_dimensions[i]);
    axis.stride = or_one(op.window_strides);
    axis.base_dilation = or_one(op.lhs_dilation);
    axis.window_dilation = or_one(op.rhs_dilation);
    return axis;
  }
  constexpr bool rewrite(const ops::convolution& op) {
    return rewrite_convolution(
        op,
        [&](int i) {
          ops::window_axis axis = axis_of(op, i);
          axis.low = op.padding(i, 0), axis.high = op.padding(i, 1);
          return window_count(size(0, int(op.dimension_numbers.input_spatial_dimensions[i])), axis);
        },
        false);
  }
  // Computed at its bounds: the padding behind is what is missing to them.
  constexpr bool rewrite(const ops::dynamic_conv& op) {
    const int spatial = op.dimension_numbers.input_spatial_dimensions.size;
    if (spatial == 0) return rewrite_convolution(op, [](int) { return extent{}; }, false);
    const int flat = reshape(operand(2), {2 * spatial});
    return rewrite_convolution(
        op,
        [&](int i) {
          const ops::window_axis axis = axis_of(op, i);
          const extent low{number_at(flat, 2 * i), 0}, high{number_at(flat, 2 * i + 1), 0};
          const index_t bound = result_type().dim(op.dimension_numbers.output_spatial_dimensions[i]);
          const index_t window = dilated_window(axis.window, axis.window_dilation);
          const index_t last = ops::saturating_add(ops::saturating_multiply(bound - 1, axis.stride), window);
          const extent all = dilated({-1, axis.size}, {-1, axis.base_dilation});
          paddings_[2 * i] = low.value;
          paddings_[2 * i + 1] = value_of(minus(minus({-1, last}, all), low));
          const extent size_of = size(0, int(op.dimension_numbers.input_spatial_dimensions[i]));
          return windows(plus(plus(dilated(size_of, {-1, axis.base_dilation}), low), high), window, axis.stride);
        },
        true);
  }

  // ---------- matrices

  // The padding behind a matrix has no influence on what stands before it.
  constexpr bool rewrite(const ops::cholesky&) {
    const int rank = result_type().rank();
    dimension_sizes sizes = sizes_of(0);
    const int side = agree(sizes.at[rank - 2], sizes.at[rank - 1], rank - 1, result_type().dim(rank - 1));
    sizes.at[rank - 2] = sizes.at[rank - 1] = pinned(side);
    return give_each(write_again(), sizes);
  }

  // Behind a matrix goes on the unit matrix, and behind the right-hand sides zeros.
  constexpr bool rewrite(const ops::triangular_solve& op) {
    const int rank = result_type().rank(), rows = rank - 2, columns = rank - 1;
    const int along = op.left_side ? rows : columns, other = op.left_side ? columns : rows;
    dimension_sizes sizes;
    for (int d = 0; d < rank - 2; ++d) sizes.at[d] = agree(code(0, d), code(1, d), d, result_type().dim(d));
    int side = agree(code(0, rows), code(0, columns), columns, operand_type(0).dim(columns));
    side = pinned(agree(side, code(1, along), along, operand_type(0).dim(columns)));
    sizes.at[along] = side;
    sizes.at[other] = code(1, other);
    operand_list values = collected();
    if (side >= 0) {
      const ints &matrix = operand_type(0).shape, &vectors = operand_type(1).shape;
      const int line = below({side, 0}, matrix[columns]), count = counting(matrix[columns]);
      const int inside = both(ops::and_{}, spread_along(line, matrix, rows), spread_along(line, matrix, columns));
      const int diagonal =
          compare(comparison_direction::EQ, spread_along(count, matrix, rows), spread_along(count, matrix, columns));
      values.at[0] = choose(inside, operand(0), convert(diagonal, operand_type(0).element));
      values.at[1] = keep(spread_along(line, vectors, along), operand(1), zero_like(operand(1)));
    }
    return give_each(write_again(values), sizes);
  }

  static constexpr const char* fixed_length =
      "fft_length is fixed while compiling, so a transformed dimension has to be as large as that: pad it, or give it "
      "a static size first";
  constexpr bool rewrite(const ops::fft& op) {
    const int rank = result_type().rank(), transformed = op.fft_length.size;
    dimension_sizes sizes;
    for (int d = 0; d < rank - transformed; ++d) sizes.at[d] = code(0, d);
    for (int d = rank - transformed; d < rank; ++d) {
      if (is_dynamic(0, d)) return refuse(d, fixed_length);
      sizes.at[d] = dimension_size::full;
    }
    return give_each(write_again(), sizes);
  }
};

}  // namespace tenon::passes
