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

// https://openxla.org/stablehlo/spec#reduce_scatter
struct reduce_scatter {
  static constexpr std::string_view name = "reduce_scatter";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true, accumulates = true;
  index_t scatter_dimension = 0;
  id_table replica_groups{};
  index_t channel_id = 0;
  bool use_global_device_ids = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("scatter_dimension", self.scatter_dimension) && visit("replica_groups", self.replica_groups) &&
           visit("channel_id", self.channel_id) && visit("use_global_device_ids", self.use_global_device_ids);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    constexpr const char* divides = "dim(operand, scatter_dimension) % dim(process_groups, 1) = 0";
    const process_grouping grouping = grouping_of_reduction(channel_id, use_global_device_ids);
    const signature computation = rule.regions[0];
    rule("reduce_scatter_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("reduce_scatter_c2", "0 <= scatter_dimension < rank(operand)",
         0 <= scatter_dimension && scatter_dimension < operand.rank());
    check_replica_groups(rule, {"reduce_scatter_c3", "reduce_scatter_c4", "reduce_scatter_c5"}, replica_groups,
                         grouping);
    rule("reduce_scatter_c6", "if use_global_device_ids = true then channel_id > 0",
         !use_global_device_ids || channel_id > 0);
    rule("reduce_scatter_c7",
         "computation: (tensor<E>, tensor<E>) -> (tensor<E>) where is_promotable(element_type(operand), E)",
         rule.regions.size == 1 && combines(rule, computation, {&operand, 1}));

    tensor_type result = computation.results[0].with_shape(operand.shape);
    const index_t size = operand.dim(scatter_dimension), processes = group_size(rule, replica_groups, grouping);
    if (processes > 0) {
      rule("reduce_scatter_c1", divides, size % processes == 0);
      result.shape.set(scatter_dimension, size / processes);
    } else if (!rule.declared.empty()) {
      // How many processes there are in a group is not known: only that the parts make up the operand.
      const index_t part = rule.declared[0].dim(scatter_dimension);
      rule("reduce_scatter_c1", divides, part > 0 ? size % part == 0 : size == 0);
      result.shape.set(scatter_dimension, part);
    }
    rule.result_shape("reduce_scatter_c8",
                      "shape(result) = shape(operand) except { dim(result, scatter_dimension) = dim(operand, "
                      "scatter_dimension) / dim(process_groups, 1) }",
                      result.shape);
    rule.result_element("reduce_scatter_c9", "element_type(result) = E", result);
    return result;
  }

  static constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) {
    arguments_of_combiner(operands, arguments);
  }

  // The part along the dimension that belongs to the process, of all processes of the group.
  constexpr indexing::indexing_map reads(int, int, list<tensor_type> operands, list<tensor_type> results) const {
    return indexing::reduce_scatter_map(results[0].shape, operands[0].shape, scatter_dimension);
  }
  constexpr indexing::indexing_map replicas(int, int, list<tensor_type> operands, list<tensor_type> results) const {
    const index_t part = results[0].dim(scatter_dimension);
    return indexing::all_replicas_map(results[0].shape, part > 0 ? operands[0].dim(scatter_dimension) / part : 0);
  }

  // Combined in the order of the group.
  template <class>
  void evaluate(const evaluation& e) const {
    const process_group group =
        own_group_of(name, e, grouping_of_reduction(channel_id, use_global_device_ids), replica_groups);
    if (group.size() == 1) return copy_converted(e, 0);
    const tensor_type &operand = e.operand_types.data[0], &result = e.result_types.data[0];
    const index_t part = result.dim(scatter_dimension);
    if (part * group.size() != operand.dim(scatter_dimension))
      fail(name, ": the parts of ", group.size(), " processes do not make up the operand");
    index_t runs = 1, inner = storage_bytes(operand.element);
    for (int axis = 0; axis < operand.rank(); ++axis)
      if (axis != scatter_dimension) (axis < scatter_dimension ? runs : inner) *= operand.dim(axis);
    const auto taken_by = [&](int, int to, int) {
      return operand_part{to * part * inner, part * inner, runs, group.size() * part * inner};
    };
    meet(name, channel_id, group, e, 1, taken_by, [&](const gathered_operands& brought) {
      member_combiner(e, 0, group.size())(brought, taken_by(0, group.find(group.self), 0), e.results.data[0]);
    });
  }
};

}  // namespace tenon::ops

namespace tenon {

// reduce_scatter<ops::reduce_scatter{.scatter_dimension = 1, .replica_groups = {{0, 1}}}>(operand, ops::add{}):
// operands combined as by all_reduce, of which each process gets its part along scatter_dimension. Any element type;
// that dimension is divided by the size of the group.
template <ops::reduce_scatter Op, class... Arguments, class Rules = ops::regions_kept<Op, 1, Arguments...>>
constexpr auto reduce_scatter(Arguments&&... arguments) {
  return ops::call_with_regions<Op>(static_cast<Arguments&&>(arguments)...);
}
template <ops::reduce_scatter Op, class... Arguments, class Rule = ops::regions_broken<Op, 1, Arguments...>>
void reduce_scatter(Arguments&&...) = delete;

}  // namespace tenon
