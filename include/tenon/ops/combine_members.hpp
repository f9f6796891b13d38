// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/combiner.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/process_context.hpp>

namespace tenon {

// Element `to` of result i becomes what the op's region makes of element `from` of operand i of all members, in the
// order of the group.
class member_combiner {
 public:
  member_combiner(const evaluation& e, int i, const process_group& group, const void* const* const* operands)
      : combiner_(e, 0, e.operand_types.part(i, 1), memory_),
        i_(i),
        members_(group.size()),
        operands_(operands),
        result_(e.results.data[i]) {}
  member_combiner(const member_combiner&) = delete;

  void operator()(index_t from, index_t to) {
    combiner_.start(operands_[0] + i_, from);
    for (int member = 1; member < members_; ++member) combiner_.take(operands_[member] + i_, from);
    combiner_.store(&result_, to);
  }

 private:
  alignas(16) std::byte memory_[combiner::scratch_bytes(1)];
  combiner combiner_;
  int i_, members_;
  const void* const* const* operands_;
  void* result_;
};

}  // namespace tenon
