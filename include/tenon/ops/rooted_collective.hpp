// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/read_index.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>

namespace tenon::ops {

// What collective_broadcast and collective_reduce share: the group of the process meets, and
// take(group, operands, i, root) is called for each result i, root being the member that sends or gets it: 0, or what
// the last operand says. Who is in no group has zeros.
template <class Op, class Take>
void rooted_collective(const Op& op, const evaluation& e, Take take) {
  const int count = e.results.size;
  const process_group group = group_of(Op::name, e, grouping_of_exchange(op.channel_id), op.replica_groups);
  if (op.replica_groups.empty() || group.size() == 0) {
    for (int i = 0; i < count; ++i) fill_with_zeros(e, i);
    return;
  }
  meet(Op::name, op.channel_id, group, e, count, [&](const void* const* const* operands) {
    for (int i = 0; i < count; ++i) {
      const index_t root =
          op.has_dynamic_root ? read_index(e.operand_types.data[count].element, e.operands.data[count], i) : 0;
      if (root < 0 || root >= group.size()) fail(Op::name, ": member ", root, " of a group of ", group.size());
      take(group, operands, i, root);
    }
  });
}

}  // namespace tenon::ops
