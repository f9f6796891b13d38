// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/bounded/movement.hpp>

#include <bit>

namespace tenon::detail {

// Ops that mix elements along a dimension: sums, windows, products, sorting.
class sized_folding : public sized_movement {
 public:
  using sized_movement::sized_movement;

 protected:
  // ---------- bodies

  // The op that the body of the op at hand consists of, on its two arguments; -1 if it is something else.
  constexpr int only_op_of_body(const graph_node& node) const {
    const graph_region& body = from_.regions.data[from_.regions_of(node).data[0]];
    if (body.argument_count != 2 || body.yield_count != 1 || body.last - body.first != 1) return -1;
    const graph_node& only = from_.nodes.data[body.first];
    if (only.operand_count != 2 || only.result_count != 1 || from_.yields_of(body).data[0] != only.results) return -1;
    const list<int> operands = from_.operands_of(only);
    const int a = operands.data[0] - body.arguments, b = operands.data[1] - body.arguments;
    const bool both_arguments = (a == 0 && b == 1) || (a == 1 && b == 0);
    const tensor_type& element = from_.type_of_value(body.arguments);
    const bool as_it_is = element == from_.type_of_value(from_.operands_of(node).data[0]).with_shape({});
    return both_arguments && as_it_is && !element.is_quantized() ? only.kind : -1;
  }

  // The number that an op leaves other numbers alone with; false if it is not known here.
  static constexpr bool neutral(int kind, dtype element, index_t& bits) {
    const bool plain_float =
        element == dtype::f16 || element == dtype::bf16 || element == dtype::f32 || element == dtype::f64;
    const int width = num_bits(element);
    const bool whole = is_integer(element) || is_boolean(element);
    if (kind == kind_of_op<ops::add>) {
      // x + -0 is x for every x.
      bits = plain_float ? index_t(std::uint64_t{1} << (width - 1)) : 0;
      return plain_float || whole;
    }
    if (kind == kind_of_op<ops::multiply>) {
      bits = 1;
      if (plain_float) {
        const auto format = format_of(element);
        bits = index_t(std::uint64_t(format.bias) << format.mantissa_bits);
      }
      return plain_float || whole;
    }
    if (kind == kind_of_op<ops::and_>) return bits = is_boolean(element) ? 1 : -1, whole;
    if (kind == kind_of_op<ops::or_> || kind == kind_of_op<ops::xor_>) return bits = 0, whole;
    const bool highest = kind == kind_of_op<ops::minimum>;
    if (!highest && kind != kind_of_op<ops::maximum>) return false;
    if (is_boolean(element)) return bits = highest ? 1 : 0, true;
    if (is_unsigned_integer(element)) return bits = highest ? index_t(~std::uint64_t{0} >> (64 - width)) : 0, true;
    if (is_integer(element)) {
      const index_t most = index_t((std::uint64_t{1} << (width - 1)) - 1);
      return bits = highest ? most : -most - 1, true;
    }
    if (!plain_float) return false;
    const auto format = format_of(element);
    const std::uint64_t infinity = ((std::uint64_t{1} << (width - 1 - format.mantissa_bits)) - 1)
                                   << format.mantissa_bits;
    bits = index_t(highest ? infinity : infinity | std::uint64_t{1} << (width - 1));
    return true;
  }

  // Whether the body of the node gets one more argument on either side: whether the element counts.
  constexpr bool marks_elements(const graph_node& node) {
    const auto any = [&](int operand, int dimension) {
      return canonical(memory_.sizes.data[from_.operands.data[node.operands + operand] * max_rank + dimension]) >= 0;
    };
    const auto rank_of = [&](int operand) {
      return from_.type_of_value(from_.operands.data[node.operands + operand]).rank();
    };
    if (node.kind == kind_of_op<ops::reduce>) {
      index_t bits = 0;
      bool dynamic = false;
      const ops::reduce op = read_attributes<ops::reduce>(from_.words.data + node.words);
      for (int i = 0; i < node.operand_count / 2; ++i)
        for (index_t d : op.dimensions) dynamic = dynamic || any(i, int(d));
      const dtype element = from_.type_of_value(from_.operands.data[node.operands]).element;
      return dynamic && !neutral(only_op_of_body(node), element, bits);
    }
    if (node.kind == kind_of_op<ops::sort>) {
      const ops::sort op = read_attributes<ops::sort>(from_.words.data + node.words);
      const int along = int(op.dimension < 0 ? op.dimension + rank_of(0) : op.dimension);
      for (int i = 0; i < node.operand_count; ++i)
        if (any(i, along)) return true;
    }
    if (node.kind == kind_of_op<ops::scatter>)
      for (int i = node.operand_count / 2; i < node.operand_count; ++i)
        for (int d = 0; d < rank_of(i); ++d)
          if (any(i, d)) return true;
    return false;
  }

  constexpr int truth(const ints& shape) { return broadcast(constant(type_of(dtype::i1), 1), shape); }
  constexpr int mask_or_truth(const ints& shape, const dimension_sizes& sizes) {
    const int mask = mask_within(shape, sizes);
    return mask < 0 ? truth(shape) : mask;
  }

  // ---------- reductions

  constexpr bool size_reduce(const ops::reduce& op) {
    const int n = node_.operand_count / 2, rank = operand_type(0).rank();
    dimension_sizes all, kept, folded;
    int axis = 0;
    for (int d = 0; d < rank; ++d) {
      for (int i = 0; i < n; ++i) all.at[d] = agree(all.at[d], code(i, d), d, operand_type(0).dim(d));
      (op.dimensions.contains(d) ? folded.at[d] : kept.at[axis++]) = all.at[d];
    }
    bool dynamic = false;
    for (int code : folded.at) dynamic = dynamic || code >= 0;
    operand_list values;
    index_t bits = 0;
    int results = 0;
    if (marks_elements(node_)) {
      const ints& shape = operand_type(0).shape;
      for (int i = 0; i < n; ++i) values.push(operand(i));
      values.push(mask_or_truth(shape, folded));
      for (int i = 0; i < n; ++i) values.push(operand(n + i));
      values.push(constant(type_of(dtype::i1), 1));
      const tensor_type mark = type_of(dtype::i1, result_type().shape);
      results = write_again(values, {&mark, 1});
    } else {
      collect(values);
      if (dynamic) {
        neutral(only_op_of_body(node_), operand_type(0).element, bits);
        values.at[0] = keep(mask_within(operand_type(0).shape, folded), operand(0),
                            constant(operand_type(0).with_shape({}), bits));
      }
      results = write_again(values);
    }
    for (int i = 0; i < n; ++i) give(i, results + i, kept);
    return true;
  }

  // Behind the elements there is padding, which has the initial value in any case.
  constexpr bool size_reduce_window(const ops::reduce_window& op) {
    const int n = node_.operand_count / 2, rank = operand_type(0).rank();
    dimension_sizes all, under;
    for (int d = 0; d < rank; ++d) {
      for (int i = 0; i < n; ++i) all.at[d] = firm(agree(all.at[d], code(i, d), d, operand_type(0).dim(d)));
      const window_axis axis = op.window().axis(operand_type(0).shape, d);
      if (all.at[d] < 0 || is_single(axis)) continue;
      under.at[d] = all.at[d];
      all.at[d] = settled(window_count({all.at[d], 0}, axis), d, result_type(), false);
    }
    operand_list values;
    const int mask = mask_within(operand_type(0).shape, under);
    for (int i = 0; i < n; ++i) values.push(keep(mask, operand(i), operand(n + i)));
    for (int i = 0; i < n; ++i) values.push(operand(n + i));
    const int results = write_again(values);
    for (int i = 0; i < n; ++i) give(i, results + i, all);
    return true;
  }
  static constexpr bool is_single(const window_axis& axis) {
    return axis.window == 1 && axis.stride == 1 && axis.base_dilation == 1 && axis.low == 0 && axis.high == 0;
  }
  static constexpr index_t dilated_window(index_t window, index_t dilation) {
    return window <= 0 ? 0 : saturating_add(saturating_multiply(window - 1, dilation), 1);
  }
  constexpr extent window_count(const extent& size, const window_axis& axis) {
    return windows(plus(dilated(size, {-1, axis.base_dilation}), {-1, saturating_add(axis.low, axis.high)}),
                   dilated_window(axis.window, axis.window_dilation), axis.stride);
  }

  constexpr bool size_select_and_scatter(const ops::select_and_scatter& op) {
    const int rank = result_type().rank();
    const window_attributes window{op.window_dimensions, op.window_strides, {}, {}, op.padding};
    dimension_sizes sizes;
    for (int d = 0; d < rank; ++d) {
      const window_axis axis = window.axis(operand_type(0).shape, d);
      if (!is_single(axis) && (is_dynamic(0, d) || is_dynamic(1, d))) return refuse(d);
      sizes.at[d] = is_single(axis) ? agree(code(0, d), code(1, d), d, result_type().dim(d)) : firm(code(0, d));
    }
    give(0, write_again(), sizes);
    return true;
  }

  // Padding comes last, whatever the comparator says of it.
  constexpr bool size_sort(const ops::sort& op) {
    const int rank = operand_type(0).rank(), n = node_.operand_count;
    const int along = int(op.dimension < 0 ? op.dimension + rank : op.dimension);
    dimension_sizes all, sorted;
    for (int d = 0; d < rank; ++d)
      for (int i = 0; i < n; ++i) all.at[d] = agree(all.at[d], code(i, d), d, operand_type(0).dim(d));
    all.at[along] = firm(all.at[along]);
    operand_list values;
    collect(values);
    int results = 0;
    if (marks_elements(node_)) {
      sorted.at[along] = all.at[along];
      values.push(mask_or_truth(operand_type(0).shape, sorted));
      const tensor_type mark = type_of(dtype::i1, operand_type(0).shape);
      results = write_again(values, {&mark, 1});
    } else {
      results = write_again(values);
    }
    for (int i = 0; i < n; ++i) give(i, results + i, all);
    return true;
  }

  // ---------- products

  constexpr bool size_product(const ints& lhs_batching, const ints& rhs_batching, const ints& lhs_contracting,
                              const ints& rhs_contracting) {
    const int lhs_rank = operand_type(0).rank(), rhs_rank = operand_type(1).rank();
    dimension_sizes sizes;
    int d = 0;
    for (int k = 0; k < lhs_batching.size; ++k)
      sizes.at[d++] = agree(code(0, int(lhs_batching[k])), code(1, int(rhs_batching[k])), int(lhs_batching[k]),
                            operand_type(0).dim(lhs_batching[k]));
    for (index_t k : ints::range(lhs_rank).without(lhs_batching + lhs_contracting)) sizes.at[d++] = code(0, int(k));
    for (index_t k : ints::range(rhs_rank).without(rhs_batching + rhs_contracting)) sizes.at[d++] = code(1, int(k));
    const int lhs = without_summed_padding(0, lhs_contracting, 1, rhs_contracting);
    const int rhs = without_summed_padding(1, rhs_contracting, 0, lhs_contracting);
    operand_list values;
    values.push(lhs);
    values.push(rhs);
    give(0, write_again(values), sizes);
    return true;
  }
  // Operand i with zeros behind the dimensions that are summed over in step with those of operand j.
  constexpr int without_summed_padding(int i, const ints& dimensions, int j, const ints& others) {
    dimension_sizes sizes;
    bool dynamic = false;
    for (int k = 0; k < dimensions.size; ++k) {
      const int d = int(dimensions[k]);
      sizes.at[d] = agree(code(i, d), code(j, int(others[k])), d, operand_type(i).dim(d));
      dynamic = dynamic || sizes.at[d] >= 0;
    }
    return dynamic ? keep(mask_within(operand_type(i).shape, sizes), operand(i), zero_like(operand(i))) : operand(i);
  }
  constexpr bool size_dot() {
    const int last = operand_type(0).rank() - 1;
    return size_product({}, {}, {last}, {0});
  }

  // `windows_of(i)` gives the size of spatial dimension i of the result. Operands behind the second stay.
  template <class Op, class Windows>
  constexpr bool size_convolution_as(const Op& op, Windows windows_of, bool always) {
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
    bool dynamic_lhs = of_lhs.at[feature] >= 0;
    for (int i = 0; i < numbers.input_spatial_dimensions.size; ++i) {
      const int from = int(numbers.input_spatial_dimensions[i]), to = int(numbers.output_spatial_dimensions[i]);
      sizes.at[to] = dimension_size::full;
      of_lhs.at[from] = firm(code(0, from));
      dynamic_lhs = dynamic_lhs || of_lhs.at[from] >= 0;
      if (of_lhs.at[from] >= 0 || always) sizes.at[to] = settled(windows_of(i), to, result_type(), always);
    }
    operand_list values;
    collect(values);
    if (dynamic_lhs) values.at[0] = keep(mask_within(operand_type(0).shape, of_lhs), operand(0), zero_like(operand(0)));
    if (of_rhs.at[kernel_input] >= 0)
      values.at[1] = keep(mask_within(operand_type(1).shape, of_rhs), operand(1), zero_like(operand(1)));
    if (always)
      values.at[2] = reshape(listed({paddings_, 2 * numbers.input_spatial_dimensions.size}, dtype::i64),
                             {numbers.input_spatial_dimensions.size, 2});
    give(0, write_again(values), sizes);
    return true;
  }
  int paddings_[2 * max_rank]{};

  // A spatial dimension without its padding.
  template <class Op>
  constexpr window_axis axis_of(const Op& op, int i) const {
    const auto or_one = [&](const ints& values) { return values.empty() ? index_t{1} : values[i]; };
    window_axis axis;
    axis.size = operand_type(0).dim(op.dimension_numbers.input_spatial_dimensions[i]);
    axis.window = operand_type(1).dim(op.dimension_numbers.kernel_spatial_dimensions[i]);
    axis.stride = or_one(op.window_strides);
    axis.base_dilation = or_one(op.lhs_dilation);
    axis.window_dilation = or_one(op.rhs_dilation);
    return axis;
  }
  constexpr bool size_convolution(const ops::convolution& op) {
    return size_convolution_as(
        op,
        [&](int i) {
          window_axis axis = axis_of(op, i);
          axis.low = op.padding(i, 0), axis.high = op.padding(i, 1);
          return window_count(size(0, int(op.dimension_numbers.input_spatial_dimensions[i])), axis);
        },
        false);
  }
  // Computed at its bounds: the padding behind is what is missing to them.
  constexpr bool size_dynamic_conv(const ops::dynamic_conv& op) {
    const int spatial = op.dimension_numbers.input_spatial_dimensions.size;
    if (spatial == 0) return size_convolution_as(op, [](int) { return extent{}; }, false);
    const int flat = reshape(operand(2), {2 * spatial});
    const auto padding_at = [&](int at) {
      const ops::slice one{{at}, {at + 1}, {1}};
      const int piece = add(one, {flat}, type_of_target(flat).with_shape({1}));
      return extent{convert(reshape(piece, {}), dtype::i64), 0};
    };
    return size_convolution_as(
        op,
        [&](int i) {
          const window_axis axis = axis_of(op, i);
          const extent low = padding_at(2 * i), high = padding_at(2 * i + 1);
          const index_t bound = result_type().dim(op.dimension_numbers.output_spatial_dimensions[i]);
          const index_t window = dilated_window(axis.window, axis.window_dilation);
          const index_t last = saturating_add(saturating_multiply(bound - 1, axis.stride), window);
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
  constexpr bool size_cholesky() {
    const int rank = result_type().rank();
    dimension_sizes sizes = sizes_of(0);
    const int side = agree(sizes.at[rank - 2], sizes.at[rank - 1], rank - 1, result_type().dim(rank - 1));
    sizes.at[rank - 2] = sizes.at[rank - 1] = firm(side);
    give(0, write_again(), sizes);
    return true;
  }

  // Behind a matrix goes on the unit matrix, and behind the right-hand sides zeros.
  constexpr bool size_triangular_solve(const ops::triangular_solve& op) {
    const int rank = result_type().rank(), rows = rank - 2, columns = rank - 1;
    const int along = op.left_side ? rows : columns, other = op.left_side ? columns : rows;
    dimension_sizes sizes;
    for (int d = 0; d < rank - 2; ++d) sizes.at[d] = agree(code(0, d), code(1, d), d, result_type().dim(d));
    int side = agree(code(0, rows), code(0, columns), columns, operand_type(0).dim(columns));
    side = firm(agree(side, code(1, along), along, operand_type(0).dim(columns)));
    sizes.at[along] = side;
    sizes.at[other] = code(1, other);
    operand_list values;
    collect(values);
    if (side >= 0) {
      const ints &matrix = operand_type(0).shape, &vectors = operand_type(1).shape;
      const int line = below({side, 0}, matrix[columns]), count = counting(matrix[columns]);
      const int inside = both(ops::and_{}, spread_along(line, matrix, rows), spread_along(line, matrix, columns));
      const int diagonal =
          compare(comparison_direction::EQ, spread_along(count, matrix, rows), spread_along(count, matrix, columns));
      values.at[0] = choose(inside, operand(0), convert(diagonal, operand_type(0).element));
      values.at[1] = keep(spread_along(line, vectors, along), operand(1), zero_like(operand(1)));
    }
    give(0, write_again(values), sizes);
    return true;
  }

  constexpr bool size_fft(const ops::fft& op) {
    const int rank = result_type().rank(), transformed = op.fft_length.size;
    dimension_sizes sizes;
    for (int d = 0; d < rank - transformed; ++d) sizes.at[d] = code(0, d);
    for (int d = rank - transformed; d < rank; ++d) {
      if (is_dynamic(0, d)) return refuse(d);
      sizes.at[d] = dimension_size::full;
    }
    give(0, write_again(), sizes);
    return true;
  }

  // Operands that have as many dimensions as the first agree with it; the others are per feature.
  constexpr bool size_batch_norm(int feature, bool sums) {
    const int rank = operand_type(0).rank();
    dimension_sizes sizes, per_feature;
    for (int i = 0; i < node_.operand_count; ++i) {
      if (operand_type(i).rank() == rank && rank > 1) {
        for (int d = 0; d < rank; ++d) sizes.at[d] = agree(sizes.at[d], code(i, d), d, operand_type(0).dim(d));
      } else {
        sizes.at[feature] = agree(sizes.at[feature], code(i, 0), feature, operand_type(0).dim(feature));
      }
    }
    for (int d = 0; d < rank && sums; ++d)
      if (d != feature && sizes.at[d] >= 0) return refuse(d);
    per_feature.at[0] = sizes.at[feature];
    const int results = write_again();
    for (int r = 0; r < node_.result_count; ++r)
      give(r, results + r, result_type(r).rank() == rank && rank > 1 ? sizes : r == 0 ? sizes : per_feature);
    return true;
  }
};

}  // namespace tenon::detail
