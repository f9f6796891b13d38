// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/grid.hpp>.
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/list.hpp>
#include <tenon/core/rules.hpp>

namespace tenon {

// How the numbers in replica_groups and source_target_pairs name processes of the grid of replicas and partitions.
// https://openxla.org/stablehlo/spec#process-grid
enum class process_grouping {
  cross_replica,                // replicas, in each partition by itself
  cross_partition,              // partitions, in each replica by itself
  cross_replica_and_partition,  // replicas, all their partitions together
  flattened_ids                 // replica * num_partitions + partition
};

// Of all_gather, all_reduce and reduce_scatter.
constexpr process_grouping grouping_of_reduction(index_t channel_id, bool use_global_device_ids) {
  if (channel_id <= 0) return process_grouping::cross_replica;
  return use_global_device_ids ? process_grouping::flattened_ids : process_grouping::cross_replica_and_partition;
}
// Of the others.
constexpr process_grouping grouping_of_exchange(index_t channel_id) {
  return channel_id <= 0 ? process_grouping::cross_replica : process_grouping::cross_partition;
}

// How many ids there are for it.
constexpr index_t id_count(const core::rules& rule, process_grouping grouping) {
  switch (grouping) {
    case process_grouping::cross_partition:
      return rule.num_partitions;
    case process_grouping::flattened_ids:
      return index_t{rule.num_replicas} * rule.num_partitions;
    default:
      return rule.num_replicas;
  }
}

// dim(process_groups, 1), or 0 where only the grid decides it.
constexpr index_t group_size(const core::rules& rule, const id_table& groups, process_grouping grouping) {
  if (groups.empty()) return 0;
  if (grouping != process_grouping::cross_replica_and_partition) return groups.columns;
  return rule.grid_known ? index_t{groups.columns} * rule.num_partitions : 0;
}

struct replica_group_labels {
  const char* unique;
  const char* size;  // none: not every process needs to be in a group
  const char* range;
  bool padded = false;  // whether groups may have different sizes
};

// The first position i > 0 whose id(i) stands before it already, below `count`; or `count`. No process is not an id.
template <class Id>
constexpr int first_repetition(int count, Id id) {
  if (count <= id_table::most_inside) {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < i; ++j)
        if (id(i) == id(j) && id(i) != no_process) return i;
    return count;
  }
  unsigned room = 1;
  while (room < 2u * unsigned(count)) room *= 2;
  index_t* const seen = new index_t[room];
  for (unsigned slot = 0; slot < room; ++slot) seen[slot] = no_process;
  int result = count;
  for (int i = 0; i < count && result == count; ++i) {
    const index_t wanted = id(i);
    if (wanted == no_process) continue;
    unsigned slot = unsigned(wanted) * 2654435769u & (room - 1);
    while (seen[slot] != no_process && seen[slot] != wanted) slot = (slot + 1) & (room - 1);
    if (seen[slot] == wanted) result = i;
    seen[slot] = wanted;
  }
  delete[] seen;
  return result;
}

// Groups that are not written, or that a mesh decides, are not checked.
constexpr void check_replica_groups(core::rules& rule, const replica_group_labels& labels, const id_table& groups,
                                    process_grouping grouping) {
  const int total = groups.size();
  index_t count = 0;
  for (int i = 0; i < total; ++i)
    if (!labels.padded || groups[i] != no_process) ++count;
  const index_t limit = labels.size != nullptr ? count : rule.grid_known ? id_count(rule, grouping) : INT64_MAX;
  rule(labels.range, "replica_groups has equal rows, of ids that it holds or that somebody keeps", groups.dropped == 0);
  const int repeated = first_repetition(total, [&](int i) { return groups[i]; });
  for (int i = 0; i < total; ++i) {
    rule(labels.unique, "is_unique(replica_groups)", i != repeated);
    if (labels.padded && groups[i] == no_process) continue;
    rule(labels.range, "0 <= replica_groups < the number of ids", 0 <= groups[i] && groups[i] < limit);
  }
  if (labels.size == nullptr) return;
  constexpr const char* sentence = "size(replica_groups) = the number of replicas, or of processes";
  if (grouping == process_grouping::flattened_ids) rule(labels.size, sentence, !groups.empty() || groups.columns == 0);
  if (rule.grid_known && !groups.empty()) rule(labels.size, sentence, count == id_count(rule, grouping));
}

struct source_target_labels {
  const char *columns, *sources, *targets, *range;
};

constexpr void check_source_target_pairs(core::rules& rule, const source_target_labels& labels, const id_table& pairs,
                                         process_grouping grouping) {
  const index_t limit = rule.grid_known ? id_count(rule, grouping) : INT64_MAX;
  rule(labels.columns, "dim(source_target_pairs, 1) = 2",
       pairs.columns == 2 || (pairs.empty() && pairs.columns == 0 && pairs.dropped == 0));
  const int source = first_repetition(pairs.rows, [&](int i) { return pairs(i, 0); });
  const int target = first_repetition(pairs.rows, [&](int i) { return pairs(i, 1); });
  for (int i = 0; i < pairs.rows; ++i) {
    rule(labels.sources, "is_unique(source_target_pairs[:, 0])", i != source);
    rule(labels.targets, "is_unique(source_target_pairs[:, 1])", i != target);
    for (int column = 0; column < 2; ++column)
      rule(labels.range, "0 <= source_target_pairs < the number of ids",
           0 <= pairs(i, column) && pairs(i, column) < limit);
  }
}

// The processes that run one program: replicas x partitions.
// https://openxla.org/stablehlo/spec#process-grid
struct process_grid {
  int num_replicas = 1, num_partitions = 1;

  constexpr int size() const { return num_replicas * num_partitions; }
  friend constexpr bool operator==(const process_grid&, const process_grid&) = default;
};

struct process_id {
  int replica = 0, partition = 0;

  friend constexpr bool operator==(const process_id&, const process_id&) = default;
};

// Replicas are rows.
constexpr int flat_id(const process_grid& grid, const process_id& id) {
  return id.replica * grid.num_partitions + id.partition;
}
constexpr process_id process_at(const process_grid& grid, int flat) {
  return {flat / grid.num_partitions, flat % grid.num_partitions};
}

constexpr int id_count(const process_grid& grid, process_grouping grouping) {
  core::rules rule;
  rule.num_replicas = grid.num_replicas;
  rule.num_partitions = grid.num_partitions;
  return int(id_count(rule, grouping));
}

// The id by which a process is called under a grouping.
constexpr int id_under(process_grouping grouping, const process_grid& grid, const process_id& process) {
  if (grouping == process_grouping::cross_partition) return process.partition;
  return grouping == process_grouping::flattened_ids ? flat_id(grid, process) : process.replica;
}

// Processes that meet, in order: the ones that a row of ids names, as one of the processes sees it. The table outlives
// the group.
struct process_group {
  process_grid grid;
  process_grouping grouping = process_grouping::cross_replica;
  process_id self;
  const id_table* groups = nullptr;  // null: 0, 1, ... instead of ids
  int row = 0;
  int named = 0;  // ids

  constexpr int size() const {
    return grouping == process_grouping::cross_replica_and_partition ? named * grid.num_partitions : named;
  }
  constexpr process_id member(int i) const {
    switch (grouping) {
      case process_grouping::cross_replica:
        return {id(i), self.partition};
      case process_grouping::cross_partition:
        return {self.replica, id(i)};
      case process_grouping::flattened_ids:
        return process_at(grid, id(i));
      case process_grouping::cross_replica_and_partition:
        break;
    }
    return {id(i % named), i / named};
  }
  // The position of a process, or -1.
  constexpr int find(const process_id& process) const {
    const int wanted = id_under(grouping, grid, process);
    for (int i = 0; i < named; ++i) {
      if (id(i) != wanted) continue;
      const int at = grouping == process_grouping::cross_replica_and_partition ? process.partition * named + i : i;
      return member(at) == process ? at : -1;
    }
    return -1;
  }
  // Whether both name the same processes in the same order.
  friend constexpr bool operator==(const process_group& a, const process_group& b) {
    if (a.size() != b.size()) return false;
    const bool same_ids = a.named > 0 && a.grid == b.grid && a.grouping == b.grouping && a.has_ids_of(b);
    for (int i = 0; i < (same_ids ? 1 : a.size()); ++i)
      if (!(a.member(i) == b.member(i))) return false;
    return true;
  }

 private:
  // Whether the ids of both lie in the same place.
  constexpr bool has_ids_of(const process_group& other) const {
    if (groups == nullptr || other.groups == nullptr) return groups == other.groups;
    return groups->outside != nullptr && groups->outside == other.groups->outside && row == other.row;
  }
  constexpr int id(int i) const { return groups == nullptr ? i : int((*groups)(row, i)); }
};

constexpr process_group group_of_all(const process_grid& grid, process_grouping grouping, const process_id& process) {
  return {grid, grouping, process, nullptr, 0, id_count(grid, grouping)};
}

// The group of `replica_groups` that a process belongs to. No size: it belongs to none. Without any groups, everybody
// is in one.
constexpr process_group group_of(const process_grid& grid, process_grouping grouping, const process_id& process,
                                 const id_table& groups) {
  if (groups.empty()) return group_of_all(grid, grouping, process);
  const int wanted = id_under(grouping, grid, process);
  for (int i = 0; i < groups.size(); ++i) {
    if (groups[i] != wanted) continue;
    process_group group{grid, grouping, process, &groups, i / groups.columns, 0};
    while (group.named < groups.columns && groups(group.row, group.named) != no_process) ++group.named;
    return group;
  }
  return {grid, grouping, process, &groups, 0, 0};
}

}  // namespace tenon
