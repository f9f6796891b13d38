// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/control/send.hpp>
#include <tenon/ops/copy_value.hpp>

namespace tenon::ops {

// Results: what was received, then a token.
// https://openxla.org/stablehlo/spec#recv
struct recv {
  static constexpr std::string_view name = "recv";
  static constexpr std::string_view no_maps = "its result comes from another process";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  index_t channel_id = 0;
  channel_types channel_type = channel_types::DEVICE_TO_DEVICE;
  bool is_host_transfer = false;
  id_table source_target_pairs{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("channel_id", self.channel_id) && visit("channel_type", self.channel_type) &&
           visit("is_host_transfer", self.is_host_transfer) && visit("source_target_pairs", self.source_target_pairs);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    rule("recv_i1", "token: token", operands.size == 1 && operands[0].is_token());
    check_source_target_pairs(rule, {"recv_c1", "recv_c2", "recv_c3", "recv_c4"}, source_target_pairs,
                              grouping_of_exchange(channel_id));
    // Programs write the direction as the device sees it, the specification as the host does.
    rule("recv_c5", "channel_type = { DEVICE_TO_HOST if is_host_transfer = true ; DEVICE_TO_DEVICE otherwise }",
         is_host_transfer
             ? channel_type == channel_types::HOST_TO_DEVICE || channel_type == channel_types::DEVICE_TO_HOST
             : channel_type == channel_types::DEVICE_TO_DEVICE);
    const int payload = rule.declared.size - 1;
    for (const tensor_type& result : rule.declared.part(0, payload))
      rule("recv_o1", "results: tensors or quantized tensors, then a token",
           rule.is(result, kinds::any | kinds::quantized));
    rule("recv_o1", "results: tensors or quantized tensors, then a token", rule.declared[payload].is_token());
    for (const tensor_type& result : rule.declared) results.push(result);
  }

  // Without source_target_pairs, from whoever sends over the channel. A process that is no target has zeros.
  template <class>
  void evaluate(const evaluation& e) const {
    if (e.process == nullptr) fail("recv: there is nobody to send to a program that runs by itself");
    const process_grouping grouping = grouping_of_exchange(channel_id);
    const process_group ends = group_of_all(e.process->grid(), grouping, e.process->id());
    check_ids(name, ends.grid, grouping, source_target_pairs);
    transfer route{.op = name, .channel_id = channel_id, .has_peer = !source_target_pairs.empty()};
    route.types = e.result_types.part(0, e.results.size - 1);
    if (!route.has_peer) return e.process->receive(route, e.results.data);
    for (int row = 0; row < source_target_pairs.rows; ++row) {
      if (source_target_pairs(row, 1) != id_under(grouping, ends.grid, ends.self)) continue;
      route.peer = ends.member(int(source_target_pairs(row, 0)));
      return e.process->receive(route, e.results.data);
    }
    for (int i = 0; i < route.types.size; ++i) fill_with_zeros(e, i);
  }
};

}  // namespace tenon::ops

namespace tenon {

// recv<ops::recv{.channel_id = 1}, type_of(dtype::f32, {2, 3})>(token): tensors of these types from the process that
// sends on this channel, and a token.
template <ops::recv Op, tensor_type... Types, class Token>
constexpr auto recv(Token&& token, op_check<Op, result_types<Types..., token_type()>, Token> = {}) {
  return apply<Op, result_types<Types..., token_type()>>(static_cast<Token&&>(token));
}

}  // namespace tenon
