// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/read_index.hpp>
#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

// Where a slice of this shape begins in a tensor, as the operands from `first` on say it; moved inside where it would
// leave the tensor. As a row-major position.
inline index_t clamped_start(const core::evaluation& e, int first, const ints& shape, const ints& slice) {
  ints start;
  for (int axis = 0; axis < shape.size; ++axis) {
    const index_t index = core::read_index(e.operand_types.data[first + axis].element, e.operands.data[first + axis]);
    const index_t last = shape[axis] - slice[axis];
    start.push(index < 0 ? 0 : index > last ? last : index);
  }
  return offset_of(shape, start);
}

// Whether these are the start indices of a slice.
constexpr bool are_start_indices(const core::rules& rule, core::list<tensor_type> types) {
  for (const tensor_type& type : types)
    if (!rule.is(type, kinds::integer) || type.rank() != 0) return false;
  return true;
}

constexpr bool all_same(core::list<tensor_type> types) {
  for (const tensor_type& type : types)
    if (!(type == types.data[0])) return false;
  return true;
}

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#dynamic_slice
struct dynamic_slice {
  static constexpr std::string_view name = "dynamic_slice";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true;
  ints slice_sizes{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("slice_sizes", self.slice_sizes); }

  // Operands: the operand, then one start index for each of its dimensions.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const tensor_type operand = operands[0];
    const list<tensor_type> start_indices = operands.part(1, operands.size - 1);
    rule("dynamic_slice_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("dynamic_slice_i2", "start_indices: 0-dimensional tensors of integer type",
         are_start_indices(rule, start_indices));
    rule("dynamic_slice_c2", "size(start_indices) = size(slice_sizes) = rank(operand)",
         start_indices.size == operand.rank() && slice_sizes.size == operand.rank() && slice_sizes.dropped == 0);
    rule("dynamic_slice_c3", "same(type(start_indices...))", all_same(start_indices));
    for (int axis = 0; axis < operand.rank(); ++axis)
      rule("dynamic_slice_c4", "0 <= slice_sizes <= shape(operand)",
           0 <= slice_sizes[axis] && slice_sizes[axis] <= operand.dim(axis));
    rule.result_element("dynamic_slice_c1", "element_type(operand) = element_type(result)", operand);
    rule.result_shape("dynamic_slice_c5", "shape(result) = slice_sizes", slice_sizes);
    results.push(operand.with_shape(slice_sizes));
  }

  // Result element (d0, d1, ...) reads operand index di + start index i.
  static constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                                list<tensor_type> results) {
    if (operand > 0) return indexing::scalar_map(results[0].shape);
    return indexing::dynamic_slice_map(results[0].shape, operands[0].shape);
  }
  static constexpr indexing::runtime_source source_of(int, int variable, list<tensor_type>, list<tensor_type> results) {
    return {1 + variable, indexing::scalar_map(results[0].shape)};
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    const ints &shape = e.result_types.data[0].shape, &operand = e.operand_types.data[0].shape;
    copy_strided<T>(shape, e.results.data[0], whole_tensor(shape), e.operands.data[0],
                    {clamped_start(e, 1, operand, shape), strides_of(operand)});
  }
};

}  // namespace tenon::ops

namespace tenon {

// dynamic_slice<ints{1, 2}>(x, i, j): the part of x of these sizes from indices on that are known when it runs, one
// tensor without dimensions for each axis, all of one integer type; moved inside x where it would end outside. Any
// element type.
template <ints SliceSizes, class Operand, class... StartIndices>
constexpr auto dynamic_slice(Operand&& operand, StartIndices&&... start_indices) {
  return apply<ops::dynamic_slice{SliceSizes}>(static_cast<Operand&&>(operand),
                                               static_cast<StartIndices&&>(start_indices)...);
}

}  // namespace tenon
