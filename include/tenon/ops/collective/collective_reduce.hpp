// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/body_rules.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/combine_members.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/rooted_collective.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#collective_reduce
struct collective_reduce {
  static constexpr std::string_view name = "collective_reduce";
  static constexpr bool asks_for_constants = true;
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true, accumulates = true;
  id_table replica_groups{};
  index_t channel_id = 0;
  bool has_dynamic_root = false, use_global_device_ids = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("replica_groups", self.replica_groups) && visit("channel_id", self.channel_id) &&
           visit("has_dynamic_root", self.has_dynamic_root) &&
           visit("use_global_device_ids", self.use_global_device_ids);
  }

  // Operands: the data, then, if has_dynamic_root, for each which member of the group gets its sum.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    constexpr const char* shapes =
        "shape(results) = shape(operands), without the roots: one for each, in a 1-dimensional tensor of type si32";
    const int count = operands.size - (has_dynamic_root ? 1 : 0);
    check_replica_groups(rule, {"collective_reduce_c1", nullptr, "collective_reduce_c2"}, replica_groups,
                         grouping_of_exchange(channel_id));
    rule("collective_reduce_c3", shapes,
         count >= 1 && (!has_dynamic_root || operands[count] == type_of(dtype::i32, {count})));
    rule("collective_reduce_use_global_device_ids", "if use_global_device_ids = true then channel_id > 0",
         !use_global_device_ids || channel_id > 0);
    const signature computation = rule.regions[0];
    for (int i = 0; i < count; ++i) {
      rule("collective_reduce_i1", "operands: tensors or per-tensor quantized tensors",
           rule.is(operands[i], kinds::any | kinds::per_tensor_quantized));
      rule("collective_reduce_c4",
           "computation: (tensor<E>, tensor<E>) -> (tensor<E>) where is_promotable(element_type(operand), E)",
           rule.regions.size == 1 && combines(rule, computation, operands.part(i, 1)));
      const tensor_type result = computation.results[0].with_shape(operands[i].shape);
      rule.result_shape("collective_reduce_c3", shapes, result.shape, i);
      rule.result_element("collective_reduce_c4", "element_type(results...) = E", result, i);
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
  constexpr indexing::indexing_map replicas(int, int result, list<tensor_type>, list<tensor_type> results) const {
    return indexing::all_replicas_map(results[result].shape,
                                      group_size(core::rules{}, replica_groups, grouping_of_exchange(channel_id)));
  }

  // Combined in the order of the group. All but the roots have zeros.
  template <class>
  void evaluate(const evaluation& e) const {
    rooted_collective<false>(
        *this, e, [&](const process_group& group, const gathered_operands& brought, int i, int root) {
          if (group.size() == 1)
            copy_converted(e, i);
          else if (group.find(group.self) != root)
            fill_with_zeros(e, i);
          else
            member_combiner(e, i, group.size())(brought, {0, byte_size(e.operand_types.data[i])}, e.results.data[i]);
        });
  }
};

}  // namespace tenon::ops

namespace tenon {

// collective_reduce<ops::collective_reduce{.replica_groups = {{0, 1}}}>(operands..., ops::add{}): as all_reduce, for
// the first process of each group; the others have zeros. Any number of operands of any element type; the results have
// their types.
template <ops::collective_reduce Op, class... Arguments, class Rules = ops::regions_kept<Op, 1, Arguments...>>
constexpr auto collective_reduce(Arguments&&... arguments) {
  return ops::call_with_regions<Op>(static_cast<Arguments&&>(arguments)...);
}
template <ops::collective_reduce Op, class... Arguments, class Rule = ops::regions_broken<Op, 1, Arguments...>>
void collective_reduce(Arguments&&...) = delete;

}  // namespace tenon
