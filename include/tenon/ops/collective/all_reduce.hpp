// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/body_rules.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/combine_members.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#all_reduce
struct all_reduce {
  static constexpr std::string_view name = "all_reduce";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true, accumulates = true;
  id_table replica_groups{};
  index_t channel_id = 0;
  bool use_global_device_ids = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("replica_groups", self.replica_groups) && visit("channel_id", self.channel_id) &&
           visit("use_global_device_ids", self.use_global_device_ids);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    check_replica_groups(rule, {"all_reduce_c1", "all_reduce_c2", "all_reduce_c3", true}, replica_groups,
                         grouping_of_reduction(channel_id, use_global_device_ids));
    rule("all_reduce_c4", "if use_global_device_ids = true then channel_id > 0",
         !use_global_device_ids || channel_id > 0);
    const signature computation = rule.regions[0];
    for (int i = 0; i < operands.size; ++i) {
      const tensor_type& operand = operands.data[i];
      rule("all_reduce_i1", "operands: tensors or per-tensor quantized tensors",
           rule.is(operand, kinds::any | kinds::per_tensor_quantized));
      rule("all_reduce_c5",
           "computation: (tensor<E>, tensor<E>) -> (tensor<E>) where is_promotable(element_type(operand), E)",
           rule.regions.size == 1 && combines(rule, computation, operands.part(i, 1)));
      const tensor_type result = computation.results[0].with_shape(operand.shape);
      rule.result_shape("all_reduce_c6", "shape(results...) = shape(operands...)", result.shape, i);
      rule.result_element("all_reduce_c7", "element_type(results...) = E", result, i);
      results.push(result);
    }
  }

  static constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) {
    arguments_of_combiner(operands.part(0, 1), arguments);
  }

  // The same element of every process of the group.
  constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    return operand == result ? indexing::identity_map(results[result].shape)
                             : indexing::nothing_map(results[result].shape, operands[operand].shape);
  }
  // The positions in the group of the processes that it comes from.
  constexpr indexing::indexing_map replicas(int, int result, list<tensor_type>, list<tensor_type> results) const {
    return indexing::all_replicas_map(
        results[result].shape,
        group_size(core::rules{}, replica_groups, grouping_of_reduction(channel_id, use_global_device_ids)));
  }

  // Combined in the order of the group.
  template <class>
  void evaluate(const evaluation& e) const {
    const process_group group =
        own_group_of(name, e, grouping_of_reduction(channel_id, use_global_device_ids), replica_groups);
    if (group.size() == 1) {
      for (int i = 0; i < e.results.size; ++i) copy_converted(e, i);
      return;
    }
    reduce_in_slices(name, channel_id, group, e,
                     [&](int i, const gathered_operands& brought, const operand_part& part, void* to) {
                       member_combiner(e, i, group.size())(brought, part, to);
                     });
  }
};

}  // namespace tenon::ops

namespace tenon {

// all_reduce<ops::all_reduce{.replica_groups = {{0, 1}}}>(operands..., ops::add{}): the operands of all processes of a
// group combined by an associative op or function of two scalars, in the order of the group. Any number of operands of
// any element type; the results have their types.
template <ops::all_reduce Op, class... Arguments, class Rules = ops::regions_kept<Op, 1, Arguments...>>
constexpr auto all_reduce(Arguments&&... arguments) {
  return ops::call_with_regions<Op>(static_cast<Arguments&&>(arguments)...);
}
template <ops::all_reduce Op, class... Arguments, class Rule = ops::regions_broken<Op, 1, Arguments...>>
void all_reduce(Arguments&&...) = delete;

}  // namespace tenon
