// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/read_index.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>

namespace tenon::ops {

// The group of the process exchanges whole operands, from the root to all or from all to the root: take(group, brought,
// i, root) is called for each result i. The root is member 0, or the one that the last operand says, alike in the
// group. A process without a group has zeros.
template <bool FromRoot, class Op, class Take>
void rooted_collective(const Op& op, const evaluation& e, Take take) {
  const int count = e.results.size;
  const process_group group = group_of(Op::name, e, grouping_of_exchange(op.channel_id), op.replica_groups);
  if (op.replica_groups.empty() || group.size() == 0) {
    for (int i = 0; i < count; ++i) fill_with_zeros(e, i);
    return;
  }
  const auto root_of = [&](int i) -> index_t {
    return op.has_dynamic_root ? read_index(e.operand_types.data[count].element, e.operands.data[count], i) : 0;
  };
  for (int i = 0; i < count; ++i)
    if (const index_t root = root_of(i); root < 0 || root >= group.size())
      fail(Op::name, ": member ", root, " of a group of ", group.size());
  const auto taken_by = [&](int from, int to, int i) {
    return operand_part{0, (FromRoot ? from : to) == root_of(i) ? byte_size(e.operand_types.data[i]) : 0};
  };
  meet(
      Op::name, op.channel_id, group, e, count, taken_by,
      [&](const gathered_operands& brought) {
        for (int i = 0; i < count; ++i) take(group, brought, i, int(root_of(i)));
      },
      FromRoot);
}

}  // namespace tenon::ops
