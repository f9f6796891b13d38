// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#all_gather
struct all_gather {
  static constexpr std::string_view name = "all_gather";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  index_t all_gather_dim = 0;
  id_table replica_groups{};
  index_t channel_id = 0;
  bool use_global_device_ids = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("all_gather_dim", self.all_gather_dim) && visit("replica_groups", self.replica_groups) &&
           visit("channel_id", self.channel_id) && visit("use_global_device_ids", self.use_global_device_ids);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const process_grouping grouping = grouping_of_reduction(channel_id, use_global_device_ids);
    check_replica_groups(rule, {"all_gather_c2", "all_gather_c3", "all_gather_c4"}, replica_groups, grouping);
    rule("all_gather_c5", "if use_global_device_ids = true then channel_id > 0",
         !use_global_device_ids || channel_id > 0);
    const index_t processes = group_size(rule, replica_groups, grouping);
    for (int i = 0; i < operands.size; ++i) {
      const tensor_type& operand = operands.data[i];
      rule("all_gather_i1", "operands: tensors or per-tensor quantized tensors",
           rule.is(operand, kinds::any | kinds::per_tensor_quantized));
      rule("all_gather_c1", "0 <= all_gather_dim < rank(operands...)",
           0 <= all_gather_dim && all_gather_dim < operand.rank());
      results.push(gathered(rule, operand, i, processes));
    }
  }

  // Part p along the dimension is the operand of process p of the group.
  constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    if (operand != result) return indexing::nothing_map(results[result].shape, operands[operand].shape);
    return indexing::all_gather_map(results[result].shape, operands[operand].shape, all_gather_dim);
  }
  constexpr indexing::indexing_map replicas(int operand, int result, list<tensor_type> operands,
                                            list<tensor_type> results) const {
    return indexing::all_gather_replica_map(results[result].shape, operands[operand].shape, all_gather_dim);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    const process_group group =
        own_group_of(name, e, grouping_of_reduction(channel_id, use_global_device_ids), replica_groups);
    const auto whole = [&](int, int, int i) { return operand_part{0, byte_size(e.operand_types.data[i])}; };
    meet(
        name, channel_id, group, e, e.operands.size, whole,
        [&](const gathered_operands& brought) {
          for (int i = 0; i < e.results.size; ++i) {
            const tensor_type& operand = e.operand_types.data[i];
            index_t rows = 1, row_bytes = storage_bytes(operand.element);
            for (int axis = 0; axis < operand.rank(); ++axis)
              (axis < all_gather_dim ? rows : row_bytes) *= operand.dim(axis);
            auto* to = e.result<unsigned char>(i);
            for (index_t row = 0; row < rows; ++row)
              for (int member = 0; member < group.size(); ++member, to += row_bytes)
                copy_bytes(to, static_cast<const unsigned char*>(brought.operands[member][i]) + row * row_bytes,
                           row_bytes);
          }
        },
        true);
  }

 private:
  constexpr tensor_type gathered(rules& rule, const tensor_type& operand, int i, index_t processes) const {
    constexpr const char* sentence =
        "type(results...) = type(operands...) except { dim(results..., all_gather_dim) = dim(operands..., "
        "all_gather_dim) * dim(process_groups, 1) }";
    const index_t size = operand.dim(all_gather_dim);
    tensor_type result = operand;
    if (processes > 0) {
      result.shape.set(all_gather_dim, ints{size, processes}.product());
    } else if (i < rule.declared.size) {
      // How many processes there are in a group is not known: only that they are several whole operands.
      const index_t declared = rule.declared.data[i].dim(all_gather_dim);
      rule("all_gather_c6", sentence, size > 0 ? declared >= size && declared % size == 0 : declared == 0);
      result.shape.set(all_gather_dim, declared);
    }
    return rule.result("all_gather_c6", sentence, result, i);
  }
};

}  // namespace tenon::ops

namespace tenon {

// all_gather<ops::all_gather{.all_gather_dim = 1, .replica_groups = {{0, 1}}}>(operands...): the operands of all
// processes of a group side by side along all_gather_dim, which is multiplied by their number. Any element type; a
// result for each operand.
template <ops::all_gather Op, class... Operands>
constexpr auto all_gather(Operands&&... operands) {
  return apply<Op>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
