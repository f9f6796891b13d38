// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/combiner.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/process_context.hpp>

#include <vector>

namespace tenon::ops {

// Combines one part of operand i over all members of a group by the op's region, in the order of the group.
class member_combiner {
 public:
  member_combiner(const evaluation& e, int i, int members)
      : combiner_(e, 0, e.operand_types.part(i, 1), memory_),
        from_(std::size_t(members)),
        i_(i),
        members_(members),
        step_(storage_bytes(e.operand_types.data[i].element)),
        result_step_(storage_bytes(e.result_types.data[i].element)) {}
  member_combiner(const member_combiner&) = delete;

  // Writes it to `to`, one element behind the other.
  void operator()(const gathered_operands& brought, const operand_part& part, void* to) {
    auto* at = static_cast<std::byte*>(to);
    const index_t count = part.bytes / step_;
    for (index_t run = 0; run < part.runs; ++run, at += count * result_step_) {
      for (int member = 0; member < members_; ++member) from_[std::size_t(member)] = brought.run(member, i_, part, run);
      // As much as stays in the first cache.
      constexpr index_t most = 2048;
      for (index_t first = 0; first < count; first += most)
        combine(first, count - first < most ? count - first : most, at + first * result_step_);
    }
  }

 private:
  alignas(16) std::byte memory_[combiner::scratch_bytes(1)];
  combiner combiner_;
  std::vector<const void*> from_;
  int i_, members_;
  index_t step_, result_step_;

  const void* element(int member, index_t at) const {
    return static_cast<const std::byte*>(from_[std::size_t(member)]) + at * step_;
  }

  void combine(index_t first, index_t count, std::byte* to) {
    if (combiner_.takes_runs()) {
      copy_bytes(to, element(0, first), count * step_);
      for (int member = 1; member < members_; ++member) combiner_.take_run(element(member, first), to, count);
      return;
    }
    for (index_t k = 0; k < count; ++k) {
      void* target = to;
      const auto at = [&](int member) { return element(member, first + k); };
      const void* from = at(0);
      combiner_.start(&from, 0);
      for (int member = 1; member < members_; ++member) {
        from = at(member);
        combiner_.take(&from, 0);
      }
      combiner_.store(&target, k);
    }
  }
};

// Every result becomes what combine(i, brought, part, to) makes of the operands of all members: each combines a slice
// of them, and takes the other slices from the others.
template <class Combine>
void reduce_in_slices(std::string_view op, index_t channel_id, const process_group& group, const evaluation& e,
                      const Combine& combine) {
  const int members = group.size(), self = group.find(group.self), count = e.results.size;
  // Whole vectors, and not fewer than pay for another member.
  const auto slice = [&](int member, const tensor_type& type) -> operand_part {
    constexpr index_t least = 64;
    const index_t size = type.size(), step = storage_bytes(type.element);
    const index_t even = (size + members - 1) / members, each = even < least ? least : (even + 15) / 16 * 16;
    const index_t first = member < size / each + 1 ? member * each : size;
    return {first * step, (size - first < each ? size - first : each) * step};
  };
  if (e.process == nullptr) fail(op, ": the program runs by itself");
  e.process->meet({op, channel_id, group, e.operand_types.part(0, count), e.operands.part(0, count),
                   [&](int, int to, int i) { return slice(to, e.operand_types.data[i]); }},
                  [&](const gathered_operands& brought) {
                    for (int i = 0; i < count; ++i)
                      if (const operand_part own = slice(self, e.operand_types.data[i]); own.bytes > 0)
                        combine(i, brought, own, e.result<std::byte>(i) + slice(self, e.result_types.data[i]).first);
                  });
  const list<const void*> slices{const_cast<const void* const*>(e.results.data), count};
  e.process->meet({op, channel_id, group, e.result_types, slices,
                   [&](int from, int, int i) { return slice(from, e.result_types.data[i]); }, true},
                  [&](const gathered_operands& brought) {
                    for (int i = 0; i < count; ++i)
                      for (int member = 0; member < members; ++member) {
                        const operand_part part = slice(member, e.result_types.data[i]);
                        if (part.bytes == 0) break;
                        if (member != self)
                          copy_bytes(e.result<std::byte>(i) + part.first, brought.run(member, i, part, 0), part.bytes);
                      }
                  });
}

}  // namespace tenon::ops
