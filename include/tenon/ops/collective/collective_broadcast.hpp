// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/rooted_collective.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#collective_broadcast
struct collective_broadcast {
  static constexpr std::string_view name = "collective_broadcast";
  static constexpr bool asks_for_constants = true;
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  id_table replica_groups{};
  index_t channel_id = 0;
  bool has_dynamic_root = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("replica_groups", self.replica_groups) && visit("channel_id", self.channel_id) &&
           visit("has_dynamic_root", self.has_dynamic_root);
  }

  // Operands: the data, then, if has_dynamic_root, for each which member of the group sends it.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const int count = operands.size - (has_dynamic_root ? 1 : 0);
    check_replica_groups(rule, {"collective_broadcast_c1", nullptr, "collective_broadcast_c2"}, replica_groups,
                         grouping_of_exchange(channel_id));
    rule(has_dynamic_root ? "collective_broadcast_c4" : "collective_broadcast_c3",
         "size(operands) >= 1, and the roots if has_dynamic_root", count >= 1);
    if (has_dynamic_root) {
      rule("collective_broadcast_c4", "type(operands[size(operands)-1]) = tensor<[size(operands)-1]xi32>",
           operands[count] == type_of(dtype::i32, {count}));
      if (rule.constants[count].size == count)
        for (index_t root : rule.constants[count])
          rule("collective_broadcast_c6", "0 <= operands[size(operands)-1] < shape(replica_groups)[1]",
               0 <= root && (replica_groups.empty() || root < replica_groups.columns));
    }
    rule("collective_broadcast_c5", "size(results) = size(operands) - (has_dynamic_root ? 1 : 0)",
         rule.declared.empty() || rule.declared.size == count);
    for (int i = 0; i < count; ++i) {
      rule("collective_broadcast_i1", "operands: tensors or per-tensor quantized tensors",
           rule.is(operands[i], kinds::any | kinds::per_tensor_quantized));
      results.push(rule.result(has_dynamic_root ? "collective_broadcast_c4" : "collective_broadcast_c3",
                               "type(results[j]) = type(operands[j])", operands[i], i));
    }
  }

  // The same element of the first process of the group, or of the one that an operand says.
  constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    if (operand == results.size) return indexing::whole_map(results[result].shape, operands[operand].shape);
    return operand == result ? indexing::identity_map(results[result].shape)
                             : indexing::nothing_map(results[result].shape, operands[operand].shape);
  }
  constexpr indexing::indexing_map replicas(int, int result, list<tensor_type>, list<tensor_type> results) const {
    if (has_dynamic_root) return indexing::one_replica_map(results[result].shape);
    indexing::indexing_map map = indexing::map_over(results[result].shape);
    map.add_result(map.constant(0));
    return map;
  }

  template <class>
  void evaluate(const evaluation& e) const {
    rooted_collective<true>(*this, e, [&](const process_group&, const gathered_operands& brought, int i, int root) {
      copy_bytes(e.results.data[i], brought.operands[root][i], byte_size(e.result_types.data[i]));
    });
  }
};

}  // namespace tenon::ops

namespace tenon {

// collective_broadcast<ops::collective_broadcast{.replica_groups = {{0, 1}}}>(operands...): the operands of the first
// process of each group, for all of them; zeros for who is in none. Any number of operands of any element type; the
// results have their types.
template <ops::collective_broadcast Op, class... Operands>
constexpr auto collective_broadcast(Operands&&... operands) {
  return apply<Op>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
