// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#all_to_all
struct all_to_all {
  static constexpr std::string_view name = "all_to_all";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  index_t split_dimension = 0, concat_dimension = 0, split_count = 1;
  id_table replica_groups{};
  index_t channel_id = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("split_dimension", self.split_dimension) && visit("concat_dimension", self.concat_dimension) &&
           visit("split_count", self.split_count) && visit("replica_groups", self.replica_groups) &&
           visit("channel_id", self.channel_id);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    rule("all_to_all_c4", "0 < split_count", split_count > 0);
    check_replica_groups(rule, {"all_to_all_c5", "all_to_all_c6", "all_to_all_c7"}, replica_groups,
                         grouping_of_exchange(channel_id));
    rule("all_to_all_c8", "dim(replica_groups, 1) = split_count",
         replica_groups.empty() || replica_groups.columns == split_count);
    const index_t parts = split_count > 0 ? split_count : 1;
    for (int i = 0; i < operands.size; ++i) {
      const tensor_type& operand = operands.data[i];
      const int rank = operand.rank();
      const index_t split = operand.dim(split_dimension);
      rule("all_to_all_i1", "operands: tensors or per-tensor quantized tensors",
           rule.is(operand, kinds::any | kinds::per_tensor_quantized));
      rule("all_to_all_c1", "0 <= split_dimension < rank(operands...)", 0 <= split_dimension && split_dimension < rank);
      rule("all_to_all_c2", "dim(operands..., split_dimension) % split_count = 0", split % parts == 0);
      rule("all_to_all_c3", "0 <= concat_dimension < rank(operands...)",
           0 <= concat_dimension && concat_dimension < rank);
      tensor_type result = operand;
      if (split_dimension != concat_dimension) {
        result.shape.set(split_dimension, split / parts);
        result.shape.set(concat_dimension, ints{operand.dim(concat_dimension), parts}.product());
      }
      results.push(rule.result("all_to_all_c9",
                               "type(results...) = type(operands...) except if split_dimension != concat_dimension { "
                               "dim(results..., split_dimension) = dim(operands..., split_dimension) / split_count ; "
                               "dim(results..., concat_dimension) = dim(operands..., concat_dimension) * split_count }",
                               result, i));
    }
  }

  // Part p along concat_dimension comes from process p of the group.
  constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    if (operand != result) return indexing::nothing_map(results[result].shape, operands[operand].shape);
    return indexing::all_to_all_map(results[result].shape, operands[operand].shape, split_dimension, concat_dimension,
                                    split_count);
  }
  constexpr indexing::indexing_map replicas(int, int result, list<tensor_type>, list<tensor_type> results) const {
    return indexing::all_to_all_replica_map(results[result].shape, concat_dimension, split_count);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    const process_group group = own_group_of(name, e, grouping_of_exchange(channel_id), replica_groups);
    if (group.size() != split_count)
      fail(name, ": split_count is ", split_count, " among ", group.size(), " processes");
    const auto taken_by = [&](int, int to, int i) {
      const tensor_type& type = e.operand_types.data[i];
      index_t runs = 1, bytes = storage_bytes(type.element);
      for (int axis = 0; axis < type.rank(); ++axis) (axis < split_dimension ? runs : bytes) *= type.dim(axis);
      return operand_part{to * (bytes / split_count), bytes / split_count, runs, bytes};
    };
    const int self = group.find(group.self);
    meet(name, channel_id, group, e, e.operands.size, taken_by, [&](const gathered_operands& brought) {
      for (int i = 0; i < e.results.size; ++i) collect(e, i, taken_by(0, self, i), brought);
    });
  }

 private:
  // Puts everybody's part one behind the other.
  void collect(const evaluation& e, int i, const operand_part& taken, const gathered_operands& brought) const {
    const tensor_type& type = e.operand_types.data[i];
    index_t rows = 1, row_bytes = storage_bytes(type.element);
    for (int axis = 0; axis < type.rank(); ++axis)
      (axis < concat_dimension ? rows : row_bytes) *= type.dim(axis) / (axis == split_dimension ? split_count : 1);
    // The run that is contiguous in both: trailing dimensions of one part.
    const index_t step = row_bytes < taken.bytes ? row_bytes : taken.bytes;
    if (step == 0) return;
    auto* to = e.result<unsigned char>(i);
    for (index_t row = 0; row < rows; ++row)
      for (int member = 0; member < int(split_count); ++member)
        for (index_t at = row * row_bytes; at < (row + 1) * row_bytes; at += step, to += step)
          copy_bytes(to, brought.run(member, i, taken, at / taken.bytes) + at % taken.bytes, step);
  }
};

}  // namespace tenon::ops

namespace tenon {

// all_to_all<ops::all_to_all{.split_dimension = 1, .concat_dimension = 0, .split_count = 2, ...}>(operands...): each
// process splits its operand into split_count parts along one dimension, sends part i to process i of its group, and
// puts what it gets together along another. Any element type; a result for each operand.
template <ops::all_to_all Op, class... Operands>
constexpr auto all_to_all(Operands&&... operands) {
  return apply<Op>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
