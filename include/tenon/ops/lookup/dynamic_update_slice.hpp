// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/lookup/dynamic_slice.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#dynamic_update_slice
struct dynamic_update_slice {
  static constexpr std::string_view name = "dynamic_update_slice";
  static constexpr bool moves_bytes = true, updates_operands = true;

  // Operands: the operand, the update, then one start index for each dimension.
  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    const tensor_type operand = operands[0], update = operands[1];
    const list<tensor_type> start_indices = operands.part(2, operands.size - 2);
    rule("dynamic_update_slice_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("dynamic_update_slice_i2", "update: tensor or per-tensor quantized tensor",
         rule.is(update, kinds::any | kinds::per_tensor_quantized));
    rule("dynamic_update_slice_i3", "start_indices: 0-dimensional tensors of integer type",
         are_start_indices(rule, start_indices));
    rule("dynamic_update_slice_c2", "element_type(update) = element_type(operand)",
         update.with_shape({}) == operand.with_shape({}));
    rule("dynamic_update_slice_c3", "rank(update) = rank(operand)", update.rank() == operand.rank());
    rule("dynamic_update_slice_c4", "size(start_indices) = rank(operand)", start_indices.size == operand.rank());
    rule("dynamic_update_slice_c5", "same(type(start_indices...))", all_same(start_indices));
    for (int axis = 0; axis < operand.rank(); ++axis)
      rule("dynamic_update_slice_c6", "0 <= shape(update) <= shape(operand)", update.dim(axis) <= operand.dim(axis));
    results.push(rule.result("dynamic_update_slice_c1", "type(operand) = type(result)", operand));
  }

  // Result element (d0, d1, ...) is operand element (d0, d1, ...), or update element di - start index i where there is
  // one.
  static constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                                list<tensor_type> results) {
    if (operand > 1) return indexing::scalar_map(results[0].shape);
    if (operand == 0) return indexing::identity_map(results[0].shape);
    indexing::indexing_map map = indexing::dynamic_update_slice_map(results[0].shape, operands[1].shape);
    for (int i = 0; i < map.result_count; ++i) map.add_constraint(map.result(i), {0, operands[1].dim(i) - 1});
    return map;
  }
  static constexpr indexing::runtime_source source_of(int, int variable, list<tensor_type>, list<tensor_type> results) {
    return {2 + variable, indexing::scalar_map(results[0].shape)};
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    const ints &shape = e.result_types.data[0].shape, &update = e.operand_types.data[1].shape;
    const index_t start = clamped_start(e, 2, shape, update);
    if (e.results.data[0] != e.operands.data[0] && copy_around<T>(e, start)) return;
    copy_bytes(e.results.data[0], e.operands.data[0], byte_size(e.result_types.data[0]));
    copy_strided<T>(update, e.results.data[0], {start, strides_of(shape)}, e.operands.data[1], whole_tensor(update));
  }

 private:
  // Writes every element once: rows of the update, and what of the operand lies between them. False, and nothing is
  // done, if that is too little for a copy of its own.
  template <class T>
  static bool copy_around(const evaluation& e, index_t start) {
    constexpr index_t size = index_t(sizeof(T)), least_between = 512;
    const ints &shape = e.result_types.data[0].shape, &update = e.operand_types.data[1].shape;
    ints outer = update;
    index_t run = 1, row = 1;
    for (int axis = shape.size - 1; axis >= 0 && run == row; --axis) {
      run *= update.at[axis], row *= shape.at[axis];
      outer.at[axis] = 1;
    }
    if (update.product() == 0 || (row - run) * size < least_between) return false;
    const std::byte* const from = e.operand<std::byte>(0);
    const std::byte* next = e.operand<std::byte>(1);
    std::byte* const to = e.result<std::byte>();
    index_t done = 0;
    const auto copy_up_to = [&](index_t end) { copy_scattered_row(to + done, from + done, end - done); };
    for_each_offset(
        outer,
        [&](index_t offset) {
          const index_t begin = (start + offset) * size;
          copy_up_to(begin);
          copy_scattered_row(to + begin, next, run * size);
          next += run * size;
          done = begin + run * size;
        },
        strides_of(shape));
    copy_up_to(shape.product() * size);
    return true;
  }
};

}  // namespace tenon::ops

namespace tenon {

// dynamic_update_slice(x, update, i, j): x with a part replaced, from these indices on, as in dynamic_slice. Any
// element type, the same for both; no dimension of update is larger than that of x, whose type the result has.
template <class Operand, class Update, class... StartIndices>
constexpr auto dynamic_update_slice(Operand&& operand, Update&& update, StartIndices&&... start_indices) {
  return apply<ops::dynamic_update_slice{}>(static_cast<Operand&&>(operand), static_cast<Update&&>(update),
                                            static_cast<StartIndices&&>(start_indices)...);
}

}  // namespace tenon
