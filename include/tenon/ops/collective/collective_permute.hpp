// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#collective_permute
struct collective_permute {
  static constexpr std::string_view name = "collective_permute";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  id_table source_target_pairs{};
  index_t channel_id = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("source_target_pairs", self.source_target_pairs) && visit("channel_id", self.channel_id);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("collective_permute_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    check_source_target_pairs(
        rule, {"collective_permute_c1", "collective_permute_c2", "collective_permute_c3", "collective_permute_c4"},
        source_target_pairs, grouping_of_exchange(channel_id));
    return rule.result("collective_permute_c5", "type(result) = type(operand)", operand);
  }

  // The same element of one other process.
  static constexpr indexing::indexing_map reads(int, int, list<tensor_type>, list<tensor_type> results) {
    return indexing::identity_map(results[0].shape);
  }
  static constexpr indexing::indexing_map replicas(int, int, list<tensor_type>, list<tensor_type> results) {
    return indexing::one_replica_map(results[0].shape);
  }

  // Whoever receives nothing has zeros.
  template <class>
  void evaluate(const evaluation& e) const {
    const process_grid grid = grid_of(e);
    const process_grouping grouping = grouping_of_exchange(channel_id);
    check_ids(name, grid, grouping, source_target_pairs);
    const process_group ends = group_of_all(grid, grouping, process_of(e));
    const int self = id_under(grouping, grid, ends.self);
    transfer route{.op = name, .collective = true, .channel_id = channel_id, .has_peer = true};
    route.types = e.operand_types;
    index_t source = no_process;
    for (int row = 0; row < source_target_pairs.rows; ++row) {
      const index_t from = source_target_pairs(row, 0), to = source_target_pairs(row, 1);
      if (to == self) source = from;
      if (from != self || to == self) continue;
      route.peer = ends.member(int(to));
      e.process->send(route, e.operands.data);
    }
    if (source == no_process) return fill_with_zeros(e, 0);
    if (source == self) return copy_converted(e, 0);
    route.peer = ends.member(int(source));
    e.process->receive(route, e.results.data);
  }
};

}  // namespace tenon::ops

namespace tenon {

// collective_permute<ops::collective_permute{.source_target_pairs = {{0, 1}, {1, 0}}}>(operand): the operand of the
// process that sends to this one; zeros where none does. Any element type; the result has the type of the operand.
template <ops::collective_permute Op, class Operand>
constexpr auto collective_permute(Operand&& operand, op_check<Op, result_types<>, Operand> = {}) {
  return apply<Op>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
