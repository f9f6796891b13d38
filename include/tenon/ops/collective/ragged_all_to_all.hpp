// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/read_index.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>

namespace tenon::ops {

// An op of HLO: each process sends rows of its input to places in the outputs of the others. Operands: the input, what
// the result begins as, then per process of the group, or per process and update, where rows begin in the input, how
// many are sent, where they go in the result of who gets them, and how many are received.
// https://openxla.org/xla/operation_semantics#raggedalltoall
struct ragged_all_to_all {
  static constexpr std::string_view name = "ragged_all_to_all";
  static constexpr std::string_view no_maps = "other processes say what its result is";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  id_table replica_groups{};
  index_t channel_id = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("replica_groups", self.replica_groups) && visit("channel_id", self.channel_id);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const tensor_type input = operands[0], output = operands[1], offsets = operands[2];
    check_replica_groups(rule, {"ragged_all_to_all_c1", "ragged_all_to_all_c2", "ragged_all_to_all_c3"}, replica_groups,
                         grouping_of_exchange(channel_id));
    rule("ragged_all_to_all_c4", "operands: the input, the output, and four tensors of offsets and sizes",
         operands.size == 6);
    rule("ragged_all_to_all_c5", "input and output differ in no more than the first dimension",
         input.is_tensor() && input.rank() > 0 && input.with_size(0, 0) == output.with_size(0, 0));
    for (const tensor_type& each : operands.part(2, operands.size - 2))
      rule("ragged_all_to_all_c6", "offsets and sizes: tensors of one integer type and one shape, of rank 1 or 2",
           each == offsets && is_integer(each.element) && each.shape.within(0, INT64_MAX) &&
               (each.rank() == 1 || each.rank() == 2));
    rule("ragged_all_to_all_c7", "dim(offsets, 0) = dim(replica_groups, 1)",
         replica_groups.empty() || offsets.dim(0) == replica_groups.columns);
    results.push(rule.result("ragged_all_to_all_c8", "type(result) = type(output)", output));
  }

  // Updates for the same place take effect in the order of the group.
  template <class>
  void evaluate(const evaluation& e) const {
    const process_group group = own_group_of(name, e, grouping_of_exchange(channel_id), replica_groups);
    const index_t updates = e.operand_types[2].rank() == 2 ? e.operand_types[2].dim(1) : 1;
    if (e.operand_types[2].dim(0) != group.size())
      fail(name, ": offsets for ", e.operand_types[2].dim(0), " of ", group.size(), " processes");
    copy_bytes(e.result<unsigned char>(), e.operand<unsigned char>(1), byte_size(e.result_types[0]));
    const int me = group.find(group.self);
    // Nothing is taken of the outputs of other processes.
    const auto taken_by = [&](int, int, int i) {
      const index_t bytes = i == 1 ? 0 : byte_size(e.operand_types.data[i]);
      return operand_part{0, bytes, 1, bytes};
    };
    meet(name, channel_id, group, e, 5, taken_by, [&](const gathered_operands& brought) {
      for (int member = 0; member < group.size(); ++member) {
        const void* theirs[5];
        for (int i = 0; i < 5; ++i) theirs[i] = brought.run(member, i, taken_by(member, me, i), 0);
        for (index_t update = 0; update < updates; ++update) take(e, theirs, me * updates + update);
      }
    });
  }

 private:
  static void take(const evaluation& e, const void* const* theirs, index_t at) {
    const dtype type = e.operand_types[2].element;
    const index_t from = read_index(type, theirs[2], at), count = read_index(type, theirs[3], at),
                  to = read_index(type, theirs[4], at);
    const index_t given = e.operand_types[0].dim(0), room = e.result_types[0].dim(0);
    if (from < 0 || count < 0 || to < 0 || count > given || from > given - count || count > room || to > room - count)
      fail(name, ": ", count, " rows from ", from, " of ", given, " do not go to ", to, " of ", room);
    const index_t row = given > 0 ? byte_size(e.operand_types[0]) / given : 0;
    copy_bytes(e.result<unsigned char>() + to * row, static_cast<const unsigned char*>(theirs[0]) + from * row,
               count * row);
  }
};

}  // namespace tenon::ops

namespace tenon {

// ragged_all_to_all<ops::ragged_all_to_all{}>(input, output, input_offsets, send_sizes, output_offsets, recv_sizes):
// rows of input, from input_offsets on, send_sizes of them, to each process of the group, where they replace rows of
// its output from output_offsets on. Offsets and sizes have an integer for each process; the result has the type of
// output.
template <ops::ragged_all_to_all Op, class... Operands>
constexpr auto ragged_all_to_all(Operands&&... operands) {
  return apply<Op>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
