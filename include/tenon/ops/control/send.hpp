// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>

namespace tenon {

enum class channel_types { CHANNEL_TYPE_INVALID, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE };
template <>
inline constexpr std::string_view core::enumerators<channel_types>[] = {"CHANNEL_TYPE_INVALID", "DEVICE_TO_DEVICE",
                                                                        "DEVICE_TO_HOST", "HOST_TO_DEVICE"};

}  // namespace tenon

namespace tenon::ops {

// Operands: what is sent, then a token.
// https://openxla.org/stablehlo/spec#send
struct send {
  static constexpr std::string_view name = "send";
  static constexpr std::string_view no_maps = "its result is a token";
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
    for (const tensor_type& input : operands.part(0, operands.size - 1))
      rule("send_i1", "inputs: tensors or quantized tensors", rule.is(input, kinds::any | kinds::quantized));
    rule("send_i2", "token: token", operands[operands.size - 1].is_token());
    check_source_target_pairs(rule, {"send_c1", "send_c2", "send_c3", "send_c4"}, source_target_pairs,
                              grouping_of_exchange(channel_id));
    rule("send_c5", "channel_type = { DEVICE_TO_HOST if is_host_transfer = true ; DEVICE_TO_DEVICE otherwise }",
         channel_type == (is_host_transfer ? channel_types::DEVICE_TO_HOST : channel_types::DEVICE_TO_DEVICE));
    results.push(rule.result("send_o1", "result: token", token_type()));
  }

  // Without source_target_pairs, to whoever receives over the channel. A process that is no source sends nothing.
  template <class>
  void evaluate(const evaluation& e) const {
    if (e.process == nullptr) fail("send: there is nobody to receive from a program that runs by itself");
    const process_grouping grouping = grouping_of_exchange(channel_id);
    const process_group ends = group_of_all(e.process->grid(), grouping, e.process->id());
    check_ids(name, ends.grid, grouping, source_target_pairs);
    transfer route{.op = name, .channel_id = channel_id, .has_peer = !source_target_pairs.empty()};
    route.types = e.operand_types.part(0, e.operands.size - 1);
    if (!route.has_peer) return e.process->send(route, e.operands.data);
    for (int row = 0; row < source_target_pairs.rows; ++row) {
      if (source_target_pairs(row, 0) != id_under(grouping, ends.grid, ends.self)) continue;
      route.peer = ends.member(int(source_target_pairs(row, 1)));
      e.process->send(route, e.operands.data);
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// send<ops::send{.channel_id = 1}>(inputs..., token): sends tensors of any type on a channel; the result is a token.
template <ops::send Op, class... Operands>
constexpr auto send(Operands&&... operands) {
  return apply<Op>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
