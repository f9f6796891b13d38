// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/scatter_positions.hpp>
#include <tenon/ops/index_vectors.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

struct gather_dimension_numbers {
  ints offset_dims{}, collapsed_slice_dims{}, operand_batching_dims{}, start_indices_batching_dims{}, start_index_map{};
  index_t index_vector_dim = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("offset_dims", self.offset_dims) && visit("collapsed_slice_dims", self.collapsed_slice_dims) &&
           visit("operand_batching_dims", self.operand_batching_dims) &&
           visit("start_indices_batching_dims", self.start_indices_batching_dims) &&
           visit("start_index_map", self.start_index_map) && visit("index_vector_dim", self.index_vector_dim);
  }

  constexpr indexing::gather_numbers numbers(const ints& slice_sizes) const {
    return {offset_dims,      collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map,
            index_vector_dim, slice_sizes};
  }
  friend constexpr bool operator==(const gather_dimension_numbers&, const gather_dimension_numbers&) = default;

  constexpr ops::window_numbers windows() const {
    return {offset_dims,     collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims,
            start_index_map, index_vector_dim};
  }
};

// Labels of the rules 1 to 23 of gather, of which its dynamic form has fewer.
struct gather_labels {
  const char* at[24];
};

// The rules of gather but for those about the sizes of slices.
constexpr void check_gather(core::rules& rule, const gather_labels& label, const gather_dimension_numbers& numbers,
                            const tensor_type& operand, const tensor_type& start_indices) {
  const auto& [offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map,
               index_vector_dim] = numbers;
  const int rank = operand.rank(), indices_rank = start_indices.rank();
  const int batch_rank = indices_rank - (index_vector_dim < indices_rank ? 1 : 0);
  rule(label.at[1], "rank(operand) = size(offset_dims) + size(collapsed_slice_dims) + size(operand_batching_dims)",
       rank == offset_dims.size + collapsed_slice_dims.size + operand_batching_dims.size);
  rule(label.at[2], "0 <= index_vector_dim <= rank(start_indices)",
       0 <= index_vector_dim && index_vector_dim <= indices_rank);
  rule(label.at[3],
       "size(start_index_map) = index_vector_dim < rank(start_indices) ? dim(start_indices, index_vector_dim) : 1",
       start_index_map.size == (index_vector_dim < indices_rank ? start_indices.dim(index_vector_dim) : 1));
  rule(label.at[4], "is_unique(offset_dims) and is_sorted(offset_dims)", offset_dims.unique() && offset_dims.sorted());
  rule(label.at[5], "0 <= offset_dims < rank(result)", offset_dims.within(0, batch_rank + offset_dims.size));
  rule(label.at[6], "is_unique(concatenate(collapsed_slice_dims, operand_batching_dims))",
       (collapsed_slice_dims + operand_batching_dims).unique());
  rule(label.at[7], "is_sorted(collapsed_slice_dims)", collapsed_slice_dims.sorted());
  rule(label.at[8], "0 <= collapsed_slice_dims < rank(operand)", collapsed_slice_dims.within(0, rank));
  rule(label.at[10], "is_sorted(operand_batching_dims)", operand_batching_dims.sorted());
  rule(label.at[11], "0 <= operand_batching_dims < rank(operand)", operand_batching_dims.within(0, rank));
  rule(label.at[13], "is_unique(start_indices_batching_dims)", start_indices_batching_dims.unique());
  rule(label.at[14], "0 <= start_indices_batching_dims < rank(start_indices)",
       start_indices_batching_dims.within(0, indices_rank));
  rule(label.at[15], "index_vector_dim not in start_indices_batching_dims",
       !start_indices_batching_dims.contains(index_vector_dim));
  rule(label.at[16], "size(operand_batching_dims) == size(start_indices_batching_dims)",
       operand_batching_dims.size == start_indices_batching_dims.size);
  rule(label.at[17], "dim(operand, operand_batching_dims...) = dim(start_indices, start_indices_batching_dims...)",
       operand.shape.select(operand_batching_dims) == start_indices.shape.select(start_indices_batching_dims));
  rule(label.at[18], "is_unique(concatenate(start_index_map, operand_batching_dims))",
       (start_index_map + operand_batching_dims).unique());
  rule(label.at[19], "0 <= start_index_map < rank(operand)", start_index_map.within(0, rank));
  rule.result_element(label.at[23], "element_type(operand) = element_type(result)", operand);
}

// The rules about the sizes of slices, if they are known; gives the shape of the result.
constexpr ints check_slice_sizes(core::rules& rule, const gather_labels& label, const gather_dimension_numbers& numbers,
                                 const tensor_type& operand, const tensor_type& start_indices,
                                 const ints& slice_sizes) {
  rule(label.at[20], "size(slice_sizes) = rank(operand)", slice_sizes.size == operand.rank() && !slice_sizes.dropped);
  rule(label.at[9], "slice_sizes[collapsed_slice_dims...] <= 1",
       slice_sizes.select(numbers.collapsed_slice_dims).within(INT64_MIN, 2));
  rule(label.at[12], "slice_sizes[operand_batching_dims...] <= 1",
       slice_sizes.select(numbers.operand_batching_dims).within(INT64_MIN, 2));
  for (int axis = 0; axis < operand.rank(); ++axis)
    rule(label.at[21], "0 <= slice_sizes <= shape(operand)",
         0 <= slice_sizes[axis] && slice_sizes[axis] <= operand.dim(axis));
  return ops::combine_shapes(start_indices.shape.without({numbers.index_vector_dim}),
                             numbers.windows().window_sizes(slice_sizes), numbers.offset_dims);
}

// Result elements are those of the slices that the index vectors name; slices that would leave the operand are moved
// inside. Programs run kernels/lookup/slices.hpp.
template <class T>
void gather_slices(const core::evaluation& e, const ops::window_numbers& windows) {
  const ints &operand = e.operand_types.data[0].shape, &result = e.result_types.data[0].shape;
  if (operand.product() == 0) return;
  const ints sizes = ops::window_shape(windows, operand.size, result), strides = strides_of(operand);
  const ints steps = ops::window_strides(windows, operand.size, result);
  const auto copy_slice = [&](const ints& start, index_t to) {
    index_t from = 0;
    for (int i = 0; i < operand.size; ++i) from += core::clamp_to_bounds{operand[i] - sizes[i], strides[i]}(start[i]);
    core::for_each_offset(
        sizes, [&](index_t step, index_t stride) { e.result<T>()[to + step] = e.operand<T>(0)[from + stride]; }, steps,
        strides);
  };
  ops::for_each_window(windows, operand, e.operand_types.data[1], e.operands.data[1], result, copy_slice);
}

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#gather
struct gather {
  static constexpr std::string_view name = "gather";
  static constexpr bool moves_bytes = true, gathers_slices = true;
  gather_dimension_numbers dimension_numbers{};
  ints slice_sizes{};
  bool indices_are_sorted = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("dimension_numbers", self.dimension_numbers) && visit("slice_sizes", self.slice_sizes) &&
           visit("indices_are_sorted", self.indices_are_sorted);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& start_indices) const {
    constexpr gather_labels labels{{"",           "gather_c1",  "gather_c2",  "gather_c3",  "gather_c4",
                                    "gather_c5",  "gather_c6",  "gather_c7",  "gather_c8",  "gather_c9",
                                    "gather_c10", "gather_c11", "gather_c12", "gather_c13", "gather_c14",
                                    "gather_c15", "gather_c16", "gather_c17", "gather_c18", "gather_c19",
                                    "gather_c20", "gather_c21", "gather_c22", "gather_c23"}};
    rule("gather_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("gather_i2", "start_indices: tensor of integer type", rule.is(start_indices, kinds::integer));
    check_gather(rule, labels, dimension_numbers, operand, start_indices);
    const ints shape = check_slice_sizes(rule, labels, dimension_numbers, operand, start_indices, slice_sizes);
    rule("gather_c22", "the result has few enough dimensions", shape.dropped == 0);
    rule.result_shape(
        "gather_c22",
        "shape(result) = combine(shape(start_indices) without index_vector_dim at batch_dims, slice_sizes "
        "without collapsed and batching dimensions at offset_dims)",
        shape);
    return operand.with_shape(shape);
  }

  // Result elements read the slice at the index vector that belongs to them, which is moved inside of the operand.
  constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    const indexing::gather_numbers numbers = dimension_numbers.numbers(slice_sizes);
    if (operand == 1) return indexing::gather_indices_map(results[0].shape, operands[1].shape, numbers);
    return indexing::gather_operand_map(results[0].shape, operands[0].shape, numbers);
  }
  constexpr indexing::runtime_source source_of(int, int variable, list<tensor_type> operands,
                                               list<tensor_type> results) const {
    return {1, indexing::gather_indices_map(results[0].shape, operands[1].shape, dimension_numbers.numbers(slice_sizes),
                                            variable)};
  }

  constexpr batch_dimensions batches(list<tensor_type> of) const { return dimension_numbers.windows().batches(of); }

  template <class T>
  void evaluate(const evaluation& e) const {
    gather_slices<T>(e, dimension_numbers.windows());
  }
};

}  // namespace tenon::ops

namespace tenon {

// gather<ops::gather{.dimension_numbers = {.offset_dims = {1}, .start_index_map = {0}, ...}, .slice_sizes = {1, 2}}>(x,
// i): slices of x from each of the index vectors on, moved inside x where they would end outside. Any element type,
// which the result has; indices are integers, index vectors along index_vector_dim. `take` has the common case.
template <ops::gather Op, class Operand, class StartIndices>
constexpr auto gather(Operand&& operand, StartIndices&& start_indices,
                      op_check<Op, result_types<>, Operand, StartIndices> = {}) {
  return apply<Op>(static_cast<Operand&&>(operand), static_cast<StartIndices&&>(start_indices));
}

}  // namespace tenon
