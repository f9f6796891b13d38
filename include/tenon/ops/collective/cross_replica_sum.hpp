// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/combine_members.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// all_reduce by add over replicas. No longer in the specification.
struct cross_replica_sum {
  static constexpr std::string_view name = "cross-replica-sum";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true, accumulates = true;
  id_table replica_groups{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("replica_groups", self.replica_groups); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("cross_replica_sum_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    check_replica_groups(rule, {"cross_replica_sum_c1", "cross_replica_sum_c2", "cross_replica_sum_c3", true},
                         replica_groups, process_grouping::cross_replica);
    return rule.result("cross_replica_sum_c4", "type(result) = type(operand)", operand);
  }

  // The same element of every process of the group.
  constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    return operand == result ? indexing::identity_map(results[result].shape)
                             : indexing::nothing_map(results[result].shape, operands[operand].shape);
  }
  constexpr indexing::indexing_map replicas(int, int result, list<tensor_type>, list<tensor_type> results) const {
    return indexing::all_replicas_map(results[result].shape,
                                      group_size(core::rules{}, replica_groups, process_grouping::cross_replica));
  }

  // Added in the order of the group.
  template <class>
  void evaluate(const evaluation& e) const {
    const process_group group = own_group_of(name, e, process_grouping::cross_replica, replica_groups);
    const tensor_type& type = e.result_types.data[0];
    if (group.size() > 1 && type.is_quantized()) fail(name, ": quantized tensors are not supported");
    if (group.size() == 1) return copy_converted(e, 0);
    reduce_in_slices(name, 0, group, e,
                     [&](int i, const gathered_operands& brought, const operand_part& part, void* to) {
                       copy_bytes(to, brought.run(0, i, part, 0), part.bytes);
                       visit(type.element, [&]<class T>() {
                         auto* const sum = static_cast<T*>(to);
                         for (int member = 1; member < group.size(); ++member) {
                           const void* const from = brought.run(member, i, part, 0);
                           for (index_t k = 0; k < part.bytes / index_t(sizeof(T)); ++k)
                             sum[k] = add::element(sum[k], static_cast<const T*>(from)[k]);
                         }
                       });
                     });
  }
};

}  // namespace tenon::ops

namespace tenon {

// cross_replica_sum<ops::cross_replica_sum{.replica_groups = {{0, 1}}}>(operand): the sum of the operands of all
// replicas of a group. Numbers of any type; the result has the type of the operand.
template <ops::cross_replica_sum Op, class Operand>
constexpr auto cross_replica_sum(Operand&& operand, op_check<Op, result_types<>, Operand> = {}) {
  return apply<Op>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
