// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/ops/process_groups.hpp>

#include <string_view>

namespace tenon {

// What the user feeds to infeed, and takes from outfeed. A transport calls it for one process at a time.
class host_streams {
 public:
  // Writes tensors of these types, dense and row-major.
  virtual void infeed(const process_id&, list<tensor_type>, void* const*) {
    fail("infeed: there is nobody to feed the program");
  }
  virtual void outfeed(const process_id&, list<tensor_type>, const void* const*) {
    fail("outfeed: there is nobody to take what the program hands out");
  }

 protected:
  ~host_streams() = default;
};

// What a process brings to a collective.
struct meeting {
  std::string_view op;
  index_t channel_id = 0;
  process_group group;
  list<tensor_type> types;
  list<const void*> operands;
};

// What one process sends and another receives.
struct transfer {
  std::string_view op;
  // Messages of collectives and of send find their own kind only.
  bool collective = false;
  index_t channel_id = 0;
  // Without a peer it is whoever is at the other end of the channel.
  bool has_peer = false;
  process_id peer{};
  list<tensor_type> types{};
};

// The place of a running program in a grid of processes, and how it reaches the others: what a transport gives to each
// process that it runs. All calls return when they are done.
class process_context {
 public:
  // Gets the operands of the members of a group: operands[member][i], in the order of the group.
  struct visitor {
    void (*call)(const void* self, const void* const* const* operands);
    const void* self;
  };

  constexpr process_context(const process_grid& grid, const process_id& id) : grid_(grid), id_(id) {}

  constexpr const process_grid& grid() const { return grid_; }
  constexpr const process_id& id() const { return id_; }

  // Waits until all members of the group have come with the same op, and shows everybody's operands.
  virtual void meet(const meeting& all, const visitor& use) = 0;
  // May return before anybody has received.
  virtual void send(const transfer& to, const void* const* inputs) = 0;
  virtual void receive(const transfer& from, void* const* results) = 0;
  virtual void infeed(list<tensor_type> types, void* const* results) = 0;
  virtual void outfeed(list<tensor_type> types, const void* const* inputs) = 0;

 protected:
  constexpr ~process_context() = default;

 private:
  process_grid grid_;
  process_id id_;
};

constexpr process_grid grid_of(const evaluation& e) {
  return e.process != nullptr ? e.process->grid() : process_grid{};
}
constexpr process_id process_of(const evaluation& e) { return e.process != nullptr ? e.process->id() : process_id{}; }

// Fails where a table names processes that the grid does not have.
inline void check_ids(std::string_view op, const process_grid& grid, process_grouping grouping, const ints_table& ids) {
  const int count = id_count(grid, grouping);
  for (int i = 0; i < ids.rows * ids.columns; ++i)
    if (ids.at[i] != no_process && (ids.at[i] < 0 || ids.at[i] >= count))
      fail(op, ": process ", ids.at[i], " takes part, but the program runs on ", grid.num_replicas, " x ",
           grid.num_partitions, " processes");
}

// The group that the running process belongs to, if any.
inline process_group group_of(std::string_view op, const evaluation& e, process_grouping grouping,
                              const ints_table& groups) {
  check_ids(op, grid_of(e), grouping, groups);
  return group_of(grid_of(e), grouping, process_of(e), groups);
}
// The same where every process has to belong to one.
inline process_group own_group_of(std::string_view op, const evaluation& e, process_grouping grouping,
                                  const ints_table& groups) {
  const process_group group = group_of(op, e, grouping, groups);
  if (group.size() == 0)
    fail(op, ": process (", group.self.replica, ", ", group.self.partition, ") is in no group of replica_groups");
  return group;
}

// Calls use(operands): the first `count` operands of all members of the group, operands[member][i]. A group of one does
// not wait.
template <class Use>
void meet(std::string_view op, index_t channel_id, const process_group& group, const evaluation& e, int count,
          const Use& use) {
  if (group.size() == 1) return use(&e.operands.data);
  if (e.process == nullptr) fail(op, ": the program runs by itself");
  const meeting all{op, channel_id, group, e.operand_types.part(0, count), e.operands.part(0, count)};
  e.process->meet(
      all,
      {[](const void* self, const void* const* const* operands) { (*static_cast<const Use*>(self))(operands); }, &use});
}

}  // namespace tenon
