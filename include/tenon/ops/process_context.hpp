// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/grid.hpp>.
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/ops/process_groups.hpp>

#include <cstddef>

#include <string_view>

namespace tenon {

// The user's end of infeed and outfeed. A transport calls it for one process at a time.
class host_streams {
 public:
  using tensor_types = core::list<tensor_type>;

  // Writes tensors of these types, dense and row-major.
  virtual void infeed(const process_id&, tensor_types, void* const*) {
    fail("infeed: there is nobody to feed the program");
  }
  virtual void outfeed(const process_id&, tensor_types, const void* const*) {
    fail("outfeed: there is nobody to take what the program hands out");
  }

 protected:
  ~host_streams() = default;
};

// The part of another member's operand that one member of a group takes: `runs` runs of `bytes` bytes, `stride` apart.
struct operand_part {
  index_t first = 0, bytes = 0, runs = 1, stride = 0;
};

// The operands of a process in a collective: part(from, to, i) is the part of operand i of `from` that `to` takes.
struct meeting {
  std::string_view op;
  index_t channel_id = 0;
  process_group group;
  core::list<tensor_type> types;
  core::list<const void*> operands;
  core::function_reference<operand_part(int from, int to, int i)> part;
  bool to_all = false;  // whether part says the same for every `to`
};

// The operands of the members of a group, operands[member][i], in the order of the group: all of them, or the parts
// that this process takes, one run behind the other.
struct gathered_operands {
  const void* const* const* operands;
  bool packed = false;

  const std::byte* run(int member, int i, const operand_part& part, index_t which) const {
    return static_cast<const std::byte*>(operands[member][i]) +
           (packed ? which * part.bytes : part.first + which * part.stride);
  }
};

// A message from one process to another.
struct transfer {
  std::string_view op;
  // Messages of collectives and of send find their own kind only.
  bool collective = false;
  index_t channel_id = 0;
  // Without a peer it is whoever is at the other end of the channel.
  bool has_peer = false;
  process_id peer{};
  core::list<tensor_type> types{};
};

// The place of a running program in a grid of processes, and how it reaches the others: what a transport gives to each
// process that it runs. All calls return when they are done.
class process_context {
 public:
  using visitor = core::function_reference<void(const gathered_operands&)>;

  constexpr process_context(const process_grid& grid, const process_id& id) : grid_(grid), id_(id) {}

  constexpr const process_grid& grid() const { return grid_; }
  constexpr const process_id& id() const { return id_; }

  // Waits until all members of the group have come with the same op, and calls use(operands) for this process.
  virtual void meet(const meeting& all, const visitor& use) = 0;
  // May return before anybody has received.
  virtual void send(const transfer& to, const void* const* inputs) = 0;
  virtual void receive(const transfer& from, void* const* results) = 0;
  virtual void infeed(core::list<tensor_type> types, void* const* results) = 0;
  virtual void outfeed(core::list<tensor_type> types, const void* const* inputs) = 0;

 protected:
  constexpr ~process_context() = default;

 private:
  process_grid grid_;
  process_id id_;
};

constexpr process_grid grid_of(const core::evaluation& e) {
  return e.process != nullptr ? e.process->grid() : process_grid{};
}
constexpr process_id process_of(const core::evaluation& e) {
  return e.process != nullptr ? e.process->id() : process_id{};
}

// Fails where a table names processes that the grid does not have.
inline void check_ids(std::string_view op, const process_grid& grid, process_grouping grouping, const id_table& ids) {
  const int count = id_count(grid, grouping);
  for (int i = 0; i < ids.size(); ++i)
    if (ids[i] != no_process && (ids[i] < 0 || ids[i] >= count))
      fail(op, ": process ", ids[i], " takes part, but the program runs on ", grid.num_replicas, " x ",
           grid.num_partitions, " processes");
}

// The group that the running process belongs to, if any.
inline process_group group_of(std::string_view op, const core::evaluation& e, process_grouping grouping,
                              const id_table& groups) {
  check_ids(op, grid_of(e), grouping, groups);
  return group_of(grid_of(e), grouping, process_of(e), groups);
}
// The same where every process has to belong to one.
inline process_group own_group_of(std::string_view op, const core::evaluation& e, process_grouping grouping,
                                  const id_table& groups) {
  const process_group group = group_of(op, e, grouping, groups);
  if (group.size() == 0)
    fail(op, ": process (", group.self.replica, ", ", group.self.partition, ") is in no group of replica_groups");
  return group;
}

// Calls use(operands) with the gathered_operands of all members: the first `count` of each. A group of one does not
// wait.
template <class Part, class Use>
void meet(std::string_view op, index_t channel_id, const process_group& group, const core::evaluation& e, int count,
          const Part& part, const Use& use, bool to_all = false) {
  if (group.size() == 1) return use(gathered_operands{&e.operands.data});
  if (e.process == nullptr) fail(op, ": the program runs by itself");
  e.process->meet({op, channel_id, group, e.operand_types.part(0, count), e.operands.part(0, count), part, to_all},
                  use);
}

}  // namespace tenon
